"use strict";
(() => {
  // As the sentences write it: three decimals, and never 0 or 1.
  const probability = (p) => (p < 0.0005 ? "< .001" : p >= 0.9995 ? "> .999" : `= ${p.toFixed(3).slice(1)}`);

  for (const curve of JSON.parse(document.getElementById("curves").textContent)) {
    const part = (name) => document.getElementById(`${curve.id}-${name}`);
    const slider = part("slider");

    const show = () => {
      const i = Number(slider.value);
      const [less, greater] = [curve.less[i], curve.greater[i]];
      const within = i > 0 ? Math.min(1, Math.max(0, 1 - less - greater)) : 0;
      part("margin").textContent = curve.labels[i];
      slider.setAttribute("aria-valuetext", curve.labels[i]);
      part("within").textContent = i > 0 ? probability(within) : "= 0";
      part("less").textContent = probability(less);
      part("greater").textContent = probability(greater);
      part("bar-less").setAttribute("width", 100 * less);
      part("bar-within").setAttribute("x", 100 * less);
      part("bar-within").setAttribute("width", 100 * within);
      part("bar-greater").setAttribute("x", 100 * (1 - greater));
      part("bar-greater").setAttribute("width", 100 * greater);
    };

    slider.addEventListener("input", show);
    part("reset").addEventListener("click", () => {
      slider.value = curve.start;
      show();
    });
    part("control").hidden = false;
  }
})();
