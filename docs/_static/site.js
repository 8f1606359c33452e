document.addEventListener("DOMContentLoaded", () => {
  // A table that is wider than the window can be scrolled with the keyboard, too.
  for (const table of document.querySelectorAll(".bd-article table")) {
    if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
  }
  // A signature in several lines: Sphinx marks its parameters up as definitions of nothing.
  for (const list of document.querySelectorAll("dt.sig > dl")) {
    const lines = document.createElement("div");
    lines.className = "parameters";
    for (const item of list.children) {
      const line = document.createElement("div");
      line.append(...item.childNodes);
      lines.append(line);
    }
    list.replaceWith(lines);
  }
  // Figures have more dots than they are wide, so that one for a column of a paper is half as wide as one for a page.
  // On a phone they are as large as on paper, and one for a page can be scrolled within its frame.
  for (const figure of document.querySelectorAll("img[class^=sphx-glr-], img.plot-directive")) {
    const plotted = figure.matches(".plot-directive"), phone = window.innerWidth < 600;
    const dots = (plotted ? 1.4 : 2) * (phone ? 1.45 : 1);
    const fit = () => {
      const frame = figure.parentElement;
      figure.style.width = `${figure.naturalWidth / dots}px`;
      if (phone && frame.scrollWidth > frame.clientWidth) frame.tabIndex = 0;
    };
    if (figure.complete) fit();
    else figure.addEventListener("load", fit);
  }
  // A button is called by what stands on it.
  for (const button of document.querySelectorAll(".search-button-field")) {
    const text = button.innerText.replace(/\s+/g, " ").trim();
    if (text) button.setAttribute("aria-label", text);
  }
});
