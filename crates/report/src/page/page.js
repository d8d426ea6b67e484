
"use strict";
(() => {
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

  // What a cell is sorted by: the key or the number that it carries, else its text.
  const keyOf = (row, column) => {
    const cell = row.cells[column];
    const data = cell.querySelector("data");
    return cell.dataset.key ?? (data ? data.value : cell.textContent.trim());
  };
  // Money carries its currency: amounts of two currencies are not compared.
  const currencyOf = (key) => /^[A-Z]{3}(?=:)/.exec(key)?.[0] ?? "";
  const compare = (left, right) => {
    if (left === "" || right === "") return (left === "") - (right === "");
    const codes = [currencyOf(left), currencyOf(right)];
    if (codes[0] !== codes[1]) return collator.compare(codes[0], codes[1]);
    const numberOf = (key) => Number(codes[0] === "" ? key : key.slice(codes[0].length + 1));
    const [a, b] = [numberOf(left), numberOf(right)];
    return Number.isNaN(a) || Number.isNaN(b) ? collator.compare(left, right) : a - b;
  };
  const sort = (table, header, column) => {
    const isUp = header.getAttribute("aria-sort") !== "ascending";
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", isUp ? "ascending" : "descending");
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [keyOf(row, column), row]);
    rows.sort((left, right) => {
      const isEmpty = left[0] === "" || right[0] === "";
      const isApart = currencyOf(left[0]) !== currencyOf(right[0]);
      return isEmpty || isApart || isUp ? compare(left[0], right[0]) : compare(right[0], left[0]);
    });
    body.append(...rows.map(([, row]) => row));
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    // One row alone is in order.
    if (table.tBodies[0].rows.length < 2) continue;
    [...table.tHead.rows[0].cells].forEach((header, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = header.textContent;
      button.addEventListener("click", () => sort(table, header, column));
      header.replaceChildren(button);
    });
  }

  const form = document.getElementById("filter");
  if (!form) return;
  const none = document.getElementById("none-left");
  const groups = [...document.querySelectorAll("article.group")].map((group) => ({
    group,
    rows: [...group.querySelectorAll("tbody tr")].map((row) => ({
      row,
      words: (row.textContent + " " + group.querySelector("h3").textContent)
        .toLowerCase().replaceAll(",", ""),
    })),
  }));
  const all = groups.reduce((sum, { rows }) => sum + rows.length, 0);
  const apply = () => {
    const field = (name) => form.elements[name]?.value ?? "";
    const words = field("words").toLowerCase().replaceAll(",", "").split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const { group, rows } of groups) {
      const isLevel = field("level") === "" || field("level") === group.dataset.level;
      let inGroup = 0;
      for (const { row, words: text } of rows) {
        const fits = isLevel
          && (field("status") === "" || field("status") === row.dataset.status)
          && (field("merchant") === "" || field("merchant") === row.dataset.merchant)
          && words.every((word) => text.includes(word));
        row.hidden = !fits;
        inGroup += fits ? 1 : 0;
      }
      group.hidden = inGroup === 0;
      shown += inGroup;
    }
    none.hidden = shown > 0;
    form.elements.shown.value = shown === all ? `${all} rows` : `${shown} of ${all} rows`;
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  apply();
})();
