import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { dist, launch, open, overflow } from "./browser.mjs";
import { bare_run, full_run, report } from "./sample.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const one = report(full_run());
const many_classes = Array.from({ length: 100 }, (_, i) => `class number ${i}`);
const screenshot = (page, name) => page.screenshot({ path: `${dist}screenshots/${name}.png`, fullPage: true });

test("the built file has one place for data and stays small", () => {
  const html = readFileSync(`${dist}report.html`, "utf8");
  assert.equal(html.split("PENUMBRA_DATA").length, 2);
  assert.ok(html.length < 600_000, `${html.length} bytes`);
  assert.doesNotMatch(html, /<(script|link)[^>]+(src|href)="(?!data:)/);
});

test("every section and chart of a full run is drawn and labelled", async () => {
  const { page, quiet } = await open(browser, "full", one);
  for (const id of ["result", "training", "familiarity", "trust", "classes", "pictures"]) {
    assert.ok(await page.locator(`section#${id}`).isVisible(), id);
  }
  assert.match(await page.locator("#result").innerText(), /94\.1\s%[^]*93\.6 to 94\.5\s%[^]*48\.7\s%/);
  const charts = page.locator('[role="img"]:has(svg), svg[role="img"]');
  assert.equal(await charts.count(), 18);
  for (const label of await charts.evaluateAll((all) => all.map((chart) => chart.ariaLabel))) {
    assert.match(label ?? "", /\d/);
  }
  assert.equal(await page.locator("#runs").count(), 0);
  await page.locator("summary").click();
  await page.locator("details svg").first().waitFor();
  const more = await page.locator("details h3").allInnerTexts();
  assert.deepEqual(more, ["Total loss", "Variance", "Learning rate", "Gradient norm", "Threshold", "Gate"]);
  const trust = await page.locator("#trust").innerText();
  assert.match(trust, /bins of equally many pictures/);
  assert.match(trust, /own errors\s+AUROC[^]*64\.3\s%/);
  assert.match(trust, /Strangers: photos\/others\s+8,120 of[^]*Strangers: noise \(random values\)\s+990 of 1,000/);
  assert.doesNotMatch(trust, /says little of other strangers/); // others were shown as well
  for (const word of ["AURC", "AUGRC", "FPR95", "epistemic", "max_probability"]) {
    assert.equal(await page.locator("#trust dt").getByText(word, { exact: true }).count(), 1, word);
  }
  assert.match(await page.locator("#pictures").innerText(), /stranger than 99\s% of validation pictures/);
  await screenshot(page, "desktop-light");
  quiet();
});

test("pointing at the map shows the picture and its scores", async () => {
  const { page, quiet } = await open(browser, "full", one);
  const details = page.locator("[data-details]");
  assert.match(await details.innerText(), /No picture chosen/);
  await page.locator('[data-point="7"]').hover();
  assert.match(await details.innerText(), /probability \d+\.\d\s%, entropy 0\.10[^]*aleatoric 0\.20[^]*stranger than \d+\s%/);
  const background = await details.locator('[role="img"]').evaluate((box) => getComputedStyle(box).backgroundImage);
  assert.match(background, /^url\("blob:/);
  await page.locator(".map").screenshot({ path: `${dist}screenshots/map.png` });
  quiet();
});

test("pointing at a curve of strangers says what it is", async () => {
  const run = full_run();
  run.strangers = run.strangers.slice(1);
  const { page, quiet } = await open(browser, "noise", report(run));
  assert.match(await page.locator("#trust").innerText(), /penumbra report runs\/cifar10-penumbra --ood NAME/);
  await page.locator(".strangers svg:has([aria-label=tip])").hover({ position: { x: 120, y: 120 } });
  assert.match(await page.locator(".strangers [aria-label=tip]").textContent(), /of strangers noticed/);
  quiet();
});

test("familiarity is shown for the supervised run as well, with pictures of its own", async () => {
  const runs = [full_run({ baseline: 1 }), full_run({ name: "cifar10-supervised", seed: 2, accuracy: 0.487 })];
  delete runs[1].baseline;
  const { page, quiet } = await open(browser, "baseline", report(...runs));
  const section = page.locator("#familiarity");
  assert.match(await section.innerText(), /The same by cifar10-supervised/);
  assert.equal(await section.locator(".map").count(), 2);
  const sheets = [];
  for (const i of [0, 1]) {
    await section.locator(".map").nth(i).locator('[data-point="7"]').hover({ force: true }); // others may lie on it
    const picture = section.locator("[data-details]").nth(i).locator('[role="img"]');
    sheets.push(await picture.evaluate((box) => getComputedStyle(box).backgroundImage));
    assert.match(sheets[i], /^url\("blob:/);
  }
  assert.notEqual(sheets[0], sheets[1]);
  assert.match(await page.locator("#result").innerText(), /Without the unlabelled\s+pictures 48\.7\s%, after 12 min/);
  await page.getByLabel("Run", { exact: true }).selectOption({ label: "cifar10-supervised" });
  assert.equal(await section.locator(".map").count(), 1);
  await screenshot(page, "baseline");
  quiet();
});

test("runs of one name are told apart, and the baseline is found by its place", async () => {
  const runs = [full_run({ name: "run", baseline: 1 }), full_run({ name: "run", seed: 2, accuracy: 0.487 })];
  runs.forEach((run, i) => (run.folder = `${"ab"[i]}/run`));
  delete runs[1].baseline;
  const { page, quiet } = await open(browser, "namesakes", report(...runs));
  assert.equal(await page.locator("h1").innerText(), "a/run");
  assert.match(await page.locator("#familiarity").innerText(), /The same by b\/run/);
  const labels = await page.locator("#familiarity .map svg").evaluateAll((all) => all.map((map) => map.ariaLabel));
  assert.notEqual(labels[0], labels[1]);
  assert.deepEqual(await page.locator("#runs tbody button").allInnerTexts(), ["a/run", "b/run"]);
  quiet();
});

test("a supervised run learned from labelled pictures alone", async () => {
  const whole = full_run();
  const run = { ...whole, what: { ...whole.what, method: "supervised" } };
  const { page, quiet } = await open(browser, "supervised", report(run));
  const text = await page.locator("#result").innerText();
  assert.match(text, /from 250 labelled pictures in/);
  assert.doesNotMatch(text, /unlabelled\s+49,250/);
  assert.match(text, /among the first five/);
  quiet();
});

test("pictures that are all labelled are not called unlabelled", async () => {
  const whole = full_run();
  const { page, quiet } = await open(browser, "labelled", report({ ...whole, what: { ...whole.what, unlabelled: 0 } }));
  assert.match(await page.locator("#result").innerText(), /from 250 labelled pictures in/);
  quiet();
});

test("verdicts are explained with the thresholds of the run, and colours that classes share are said to", async () => {
  const { page, quiet } = await open(browser, "words", report(full_run()));
  const words = await page.locator("#trust").innerText();
  for (const said of [/^sure$/m, /noisier than for 90\s%/, /a probability of 70\s%/, /stranger than 95\s%/, /the variance that the network predicts/])
    assert.match(words, said);
  await page.getByLabel("colour").selectOption("class");
  assert.match(await page.locator("#familiarity").innerText(), /by its name on the map; some share one/);
  quiet();
});

test("on paper names and pictures are there", async () => {
  const runs = [full_run(), full_run({ name: "other", seed: 2 })];
  const { page, quiet } = await open(browser, "paper", report(...runs));
  await page.emulateMedia({ media: "print" });
  assert.deepEqual(await page.locator("#runs tbody button").allInnerTexts(), ["cifar10-penumbra", "other"]);
  const picture = page.locator('[role="img"]').first();
  assert.equal(await picture.evaluate((box) => getComputedStyle(box).printColorAdjust), "exact");
  quiet();
});

test("five classes have no top five, and more than twenty no names on the map", async () => {
  const few = await open(browser, "five", report(full_run({ classes: ["a", "b", "c", "d", "e"] })));
  assert.doesNotMatch(await few.page.locator("#result").innerText(), /among the first five/);
  await few.page.getByLabel("colour").selectOption("class");
  assert.match(await few.page.locator("#familiarity").innerText(), /by its name on the map/);
  few.quiet();
  const many = await open(browser, "hundred", report(full_run({ classes: many_classes })));
  await many.page.getByLabel("colour").selectOption("class");
  assert.match(await many.page.locator("#familiarity").innerText(), /too many to name here/);
  many.quiet();
});

test("the map can be walked with the arrow keys", async () => {
  const { page, quiet } = await open(browser, "full", one);
  const ring = page.locator(".map circle");
  await page.locator('[role="application"]').focus();
  const start = Number(await ring.getAttribute("cx"));
  await page.keyboard.press("ArrowRight");
  assert.ok(Number(await ring.getAttribute("cx")) > start);
  await page.getByLabel("show").selectOption("unfamiliar");
  await page.locator('[role="application"]').focus();
  await page.keyboard.press("ArrowLeft");
  assert.match(await page.locator("[data-details]").innerText(), /unfamiliar/);
  quiet();
});

test("the table of classes sorts by a column", async () => {
  const { page, quiet } = await open(browser, "full", one);
  await page.getByRole("button", { name: "class", exact: true }).click();
  const rows = page.getByRole("region", { name: /every class/ }).locator("tbody th");
  assert.deepEqual(await rows.allInnerTexts(), [...one.runs[0].classes].sort());
  quiet();
});

test("the dark scheme is dark", async () => {
  const { page, quiet } = await open(browser, "full", one, { colorScheme: "dark" });
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await paper();
  await screenshot(page, "desktop-dark");
  await page.emulateMedia({ colorScheme: "light" });
  assert.notEqual(await paper(), dark);
  quiet();
});

test("a phone never scrolls sideways", async () => {
  const phone = { viewport: { width: 375, height: 740 } };
  const { page, quiet } = await open(browser, "phone", report(full_run(), full_run({ name: "second" })), phone);
  assert.equal(await overflow(page), 0);
  await page.locator('[data-point="7"]').hover({ force: true });
  await screenshot(page, "phone");
  quiet();
});

test("a hundred classes fit", async () => {
  const { page, quiet } = await open(browser, "hundred", report(full_run({ classes: many_classes })));
  assert.equal(await overflow(page), 0);
  await page.locator("#classes").screenshot({ path: `${dist}screenshots/hundred-classes.png` });
  quiet();
});

test("a run with only the required fields is shown without the rest", async () => {
  const { page, quiet } = await open(browser, "bare", report(bare_run()));
  assert.equal(await page.locator("section").count(), 1);
  assert.match(await page.locator("#result").innerText(), /has not been evaluated/);
  quiet();
});

test("any single part may be missing", async () => {
  const whole = full_run();
  const optional = ["result", "baseline", "pictures", "familiarity", "thresholds", "map", "verdicts", "calibration", "selective", "strangers", "confusion", "per_class", "galleries"];
  const runs = optional.map((part) => ({ ...whole, name: `without ${part}`, [part]: null }));
  runs.push({ ...whole, name: "without temperature", calibration: { raw: whole.calibration.raw } });
  const { page, quiet } = await open(browser, "missing", report(...runs));
  for (const { name } of runs) {
    await page.getByLabel("Run", { exact: true }).selectOption(name);
    assert.equal(await page.locator("h1").innerText(), name);
  }
  quiet();
});

test("several runs are compared, and one is chosen", async () => {
  const second = { ...full_run({ name: "second <run>", seed: 2, accuracy: 0.902 }), map: null };
  const { page, quiet } = await open(browser, "two", report(full_run(), second, bare_run()));
  const compared = await page.locator("#runs").innerText();
  assert.match(compared, /94\.1\s%[^]*90\.2\s%/);
  assert.match(compared, /0\.253\s+0\.008/); // log loss and ECE, both after the temperature
  await page.getByLabel("Run", { exact: true }).selectOption("second <run>");
  assert.equal(await page.locator("h1").innerText(), "second <run>");
  assert.match(await page.locator("#result").innerText(), /90\.2\s%/);
  assert.equal(await page.locator(".map").count(), 0);
  await page.locator("#runs").screenshot({ path: `${dist}screenshots/comparison.png` });
  await page.locator("#runs tbody button").first().click();
  assert.match(await page.locator("h1").innerText(), /cifar10-penumbra/);
  quiet();
});

test("a run has the same colour in every comparison, also where another has no result", async () => {
  const unjudged = { ...full_run({ name: "unjudged" }), result: null };
  const { page, quiet } = await open(browser, "colours", report(unjudged, full_run({ name: "judged" })));
  const style = (locator, name) => locator.evaluate((element, key) => getComputedStyle(element)[key], name);
  const dots = page.locator("#runs circle");
  assert.equal(await dots.count(), 1);
  const second = page.locator("#runs figure li").nth(1).locator("line");
  assert.equal(await style(dots.first(), "fill"), await style(second, "stroke"));
  quiet();
});

test("a page without data says so", async () => {
  const page = await browser.newPage();
  await page.goto(`file://${dist}report.html`);
  assert.match(await page.locator("main").innerText(), /Nothing to show/);
});
