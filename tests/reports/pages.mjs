// Looks at report pages in a real browser: nothing is asked of a network, nothing overflows,
// axe finds no barrier, filter and sorting do what they say, and without scripts all is there.
//
//   node pages.mjs <folder for screenshots> <page> [<page> ...]

import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [shots, ...files] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const wrong = [];
const check = (holds, text) => holds || wrong.push(text);

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"],
});

// A page that says what it asks for and what goes wrong in it.
async function open(file, options, about) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.on("request", (request) => {
    const is_own = request.url() === pathToFileURL(file).href;
    check(is_own, `${about}: asks for ${request.url()}`);
  });
  page.on("console", (message) => check(message.type() !== "error", `${about}: ${message.text()}`));
  page.on("pageerror", (error) => wrong.push(`${about}: ${error}`));
  const began = performance.now();
  await page.goto(pathToFileURL(file).href);
  return { context, page, took: performance.now() - began };
}

// Where a change is judged, each size in one of the two schemes.
const is_few = Boolean(process.env.CI_FEW);
const sizes = { desktop: { width: 1280, height: 900 }, phone: { width: 375, height: 800 } };

async function looks(file, name) {
  for (const [size, viewport] of Object.entries(sizes)) {
    for (const colorScheme of ["light", "dark"]) {
      if (is_few && (size === "phone") !== (colorScheme === "dark")) continue;
      const about = `${name}, ${size}, ${colorScheme}`;
      // axe is put in beside the page's own script, which its content policy would not allow.
      const options = { viewport, colorScheme, bypassCSP: true };
      const { context, page, took } = await open(file, options, about);
      check(took < 3000, `${about}: opens in ${Math.round(took)} ms`);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      check(width <= viewport.width, `${about}: is ${width} wide`);
      const cramped = await page.locator(".tiles dd").evaluateAll(
        (all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText));
      check(cramped.length === 0, `${about}: reaches into its neighbour: ${cramped}`);
      await page.screenshot({ path: path.join(shots, `${name}-${size}-${colorScheme}.png`) });
      if (fs.statSync(file).size < 400_000) {
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => globalThis.axe.run());
        for (const { id, nodes } of violations) wrong.push(`${about}: ${id}: ${nodes[0].html}`);
      }
      await context.close();
    }
  }
}

// What `measure` says of a page of many findings, the best of a few tries: the machine may be busy.
// `null` for other pages.
const MANY_FINDINGS = 1000, TRIES = 5;

async function best_of_many(file, about, measure) {
  const { context, page } = await open(file, { viewport: sizes.desktop }, about);
  const measured = [];
  if (await page.locator("article.group tbody tr").count() >= MANY_FINDINGS) {
    for (let tries = 0; tries < TRIES; tries += 1) measured.push(await measure(page));
  }
  await context.close();
  return measured.length > 0 ? Math.min(...measured) : null;
}

// A page of many findings opens and is painted within a second.
const MAX_MS = 1000;

async function opens_soon(file, name) {
  const best = await best_of_many(file, `${name}, opened`, async (page) => {
    const began = performance.now();
    await page.goto(pathToFileURL(file).href);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
    return performance.now() - began;
  });
  check(best === null || best <= MAX_MS, `${name}: opens in ${Math.round(best)} ms at best`);
}

// It scrolls from top to bottom in as many frames, of which all but a few come in time.
const STEPS = 120, MAX_LATE_PERCENT = 5, LATE_MS = 50;

async function scrolls(file, name) {
  const best = await best_of_many(file, `${name}, scrolled`, (page) =>
    page.evaluate(({ steps, limit }) => new Promise((done) => {
      scrollTo(0, 0);
      const stride = (document.documentElement.scrollHeight - innerHeight) / steps;
      let step = 0, before = performance.now(), count = 0;
      const frame = (now) => {
        if (now - before > limit) count += 1;
        before = now;
        scrollBy(0, stride);
        step += 1;
        if (step < steps) requestAnimationFrame(frame); else done(count * 100 / steps);
      };
      requestAnimationFrame((now) => { before = now; frame(now); });
    }), { steps: STEPS, limit: LATE_MS }));
  check(best === null || best <= MAX_LATE_PERCENT, `${name}: ${best} % of the frames of a scroll are late`);
}

// Pages of paper, by the objects that a PDF has for them.
const sheets = (pdf) => pdf.toString("latin1").match(/\/Type\s*\/Page\b/g).length;

// Most pages of paper that a day may take, at A4 and Letter alike: some forty findings five, a
// clean day of several merchants one. More findings are not printed to be read.
const MAX_FINDINGS = 46, MAX_SHEETS = 5, MAX_CLEAN_MERCHANTS = 6;

async function prints(file, name) {
  const { context, page } = await open(file, {}, `${name}, printed`);
  await page.emulateMedia({ media: "print" });
  check(await page.locator("nav").isHidden(), `${name}: prints its navigation`);
  const findings = await page.locator("article.group tbody tr").count();
  const merchants = await page.locator("table.chain tbody tr").count();
  const is_day = merchants > 0 && findings <= MAX_FINDINGS;
  const most = findings === 0 && merchants <= MAX_CLEAN_MERCHANTS ? 1 : MAX_SHEETS;
  for (const format of ["A4", "Letter"]) {
    const pdf = await page.pdf({ format });
    fs.writeFileSync(path.join(shots, `${name}-${format}.pdf`), pdf);
    check(!is_day || sheets(pdf) <= most,
      `${name}: ${findings} findings of ${merchants} merchants take ${sheets(pdf)} pages of ${format}`);
  }
  // Nothing reaches beyond the paper: its width in CSS pixels, less the margins.
  await page.setViewportSize({ width: Math.round((279 - 18) * 96 / 25.4), height: 700 });
  const wide = await page.locator("table:visible").evaluateAll((all) => all
    .filter((one) => one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.className));
  check(wide.length === 0, `${name}: printed wider than the paper: ${wide}`);
  await context.close();
}

// On a phone a few screens say how the day stands and what to do first, before tables of all rows.
const MAX_SCREENS = 6;

async function fits_a_phone(file, name) {
  const { context, page } = await open(file, { viewport: sizes.phone }, `${name}, phone`);
  const findings = await page.locator("article.group tbody tr").count();
  // Hostile names are as long as names can be: there the first section counts.
  const is_hostile = file.includes("/made/");
  const places = is_hostile ? "#untold, #largest, #chain, #days" : "#chain, #days";
  const tables = page.locator(places).first();
  if (await tables.count() > 0 && findings <= MAX_FINDINGS) {
    const top = await tables.evaluate((one) => one.getBoundingClientRect().top / innerHeight);
    check(top <= MAX_SCREENS, `${name}: ${top.toFixed(1)} screens of a phone before its tables`);
  }
  // Every figure of the way of the money is in sight, without scrolling aside.
  const cut = await page.locator("table.chain td, table.chain tbody th").evaluateAll((all) => all
    .filter((one) => one.getBoundingClientRect().right > innerWidth).map((one) => one.innerText));
  check(cut.length === 0, `${name}: cut on a phone: ${cut.slice(0, 3)}`);
  await context.close();
}

const visible = (page) => page.locator("article.group tbody tr:visible").count();

async function filters(file, name) {
  const { context, page } = await open(file, {}, `${name}, filtered`);
  const all = await page.locator("article.group tbody tr").count();
  if (all === 0) return context.close();
  check(await visible(page) === all, `${name}: shows ${await visible(page)} of ${all} at first`);
  const id = await page.locator("article.group tbody tr").last().getAttribute("id");
  await page.locator("#filter input[name=words]").fill(id);
  check(await visible(page) === 1, `${name}: ${id} finds ${await visible(page)}`);
  await page.locator("#filter input[name=words]").fill("no such word anywhere");
  check(await visible(page) === 0, `${name}: finds what is not there`);
  check(await page.locator("#none-left").isVisible(), `${name}: does not say that nothing fits`);
  await page.locator("#filter input[name=words]").fill("");
  const merchant = page.locator("#filter select[name=merchant]");
  if (await merchant.count() > 0) {
    const value = await merchant.locator("option").nth(1).getAttribute("value");
    const own = await page.locator("article.group tbody tr").evaluateAll(
      (rows, value) => rows.filter((row) => row.dataset.merchant === value).length, value);
    await merchant.selectOption(value);
    check(await visible(page) === own, `${name}: ${await visible(page)} of ${own} of ${value}`);
    check((await page.locator("output").textContent()).startsWith(`${own} of`), `${name}: count`);
  }
  await context.close();
}

async function sorts(file, name) {
  const { context, page } = await open(file, {}, `${name}, sorted`);
  // A handful of tables: all have the same script.
  for (const table of (await page.locator("table.sortable").all()).slice(0, 6)) {
    const buttons = await table.locator("thead button").all();
    for (const [column, button] of buttons.entries()) {
      // By the keyboard, as a mouse is not all that there is.
      await button.focus();
      for (const direction of ["ascending", "descending"]) {
        await page.keyboard.press("Enter");
        const header = table.locator("thead th").nth(column);
        check(await header.getAttribute("aria-sort") === direction, `${name}: ${direction}`);
        const keys = await table.locator("tbody tr").evaluateAll((rows, column) => rows.map((row) => {
          const cell = row.cells[column];
          return cell.dataset.key ?? cell.querySelector("data")?.value ?? cell.textContent.trim();
        }), column);
        const numbers = keys.filter((key) => key !== "").map(Number);
        if (numbers.some(Number.isNaN)) continue;
        const sorted = [...numbers].sort((a, b) => (direction === "ascending" ? a - b : b - a));
        check(String(numbers) === String(sorted), `${name}: column ${column} ${direction}`);
        check(keys.slice(numbers.length).every((key) => key === ""), `${name}: unknown ones last`);
      }
    }
  }
  await context.close();
}

async function stands_without_scripts(file, name) {
  const { context, page } = await open(file, { javaScriptEnabled: false }, `${name}, no script`);
  check(await page.locator("#filter:visible").count() === 0, `${name}: a filter without scripts`);
  const rows = page.locator("article.group tbody tr");
  check(await rows.count() === await visible(page), `${name}: hides rows without scripts`);
  check(await page.locator("h1").isVisible(), `${name}: has no heading`);
  await context.close();
}

fs.mkdirSync(shots, { recursive: true });
for (const file of files) {
  const name = path.basename(path.dirname(file));
  await looks(file, name);
  await prints(file, name);
  await fits_a_phone(file, name);
  await opens_soon(file, name);
  await scrolls(file, name);
  await filters(file, name);
  await sorts(file, name);
  await stands_without_scripts(file, name);
}
await browser.close();
for (const line of wrong) console.error(line);
console.log(`${files.length} pages, ${wrong.length} faults; screenshots in ${shots}`);
process.exit(wrong.length === 0 ? 0 : 1);
