"use strict";
(() => {
  const { curves } = JSON.parse(document.getElementById("curves").textContent);

  // As the sentences write it: three decimals, and never 0 or 1.
  const probability = (p) => (p < 0.0005 ? "< .001" : p >= 0.9995 ? "> .999" : `= ${p.toFixed(3).slice(1)}`);

  for (const curve of curves) {
    const part = (name) => document.getElementById(`${curve.id}-${name}`);
    const slider = part("slider");

    const show = () => {
      const i = Number(slider.value);
      const margin = curve.margins[i];
      const less = curve.less[i];
      const greater = curve.greater[i];
      const within = margin > 0 ? Math.min(1, Math.max(0, 1 - less - greater)) : 0;
      const words = curve.labels[i];
      part("margin").textContent = words;
      slider.setAttribute("aria-valuetext", words);
      part("less").textContent = probability(less);
      part("within").textContent = margin > 0 ? probability(within) : "= 0";
      part("greater").textContent = probability(greater);

      part("bar-less").setAttribute("width", 100 * less);
      part("bar-within").setAttribute("x", 100 * less);
      part("bar-within").setAttribute("width", 100 * within);
      part("bar-greater").setAttribute("x", 100 * (1 - greater));
      part("bar-greater").setAttribute("width", 100 * greater);

      const [left, right, zero, scale] = curve.axis;
      const from = Math.min(right, Math.max(left, zero + scale * margin * curve.shape[0]));
      const to = Math.max(left, Math.min(right, zero + scale * margin * curve.shape[1]));
      part("band").setAttribute("x", from);
      part("band").setAttribute("width", Math.max(0, to - from));
    };

    slider.addEventListener("input", show);
    part("reset").addEventListener("click", () => {
      slider.value = curve.start;
      show();
    });
    part("control").hidden = false;
  }
})();
