// The page that the command itself wrote of a run, its supervised baseline and strangers:
//   REPORT=report.html npm test
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { dist, launch, open_address, overflow } from "./browser.mjs";

const report = process.env.REPORT;
let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

test("every section of a real run is drawn and hovering works", { skip: !report }, async () => {
  const { page, quiet } = await open_address(browser, pathToFileURL(report).href);
  for (const id of ["result", "training", "familiarity", "trust", "classes", "pictures", "runs"]) {
    assert.ok(await page.locator(`section#${id}`).isVisible(), id);
  }
  await page.locator('[data-point="3"]').first().hover({ force: true }); // others may lie on it
  const details = await page.locator("[data-details]").first().innerText();
  assert.match(details, /probability \d+\.\d\s%, entropy \d\.\d+[^]*aleatoric \d\.\d+, epistemic \d+(\.\d+)?\s/);
  assert.match(await page.locator("#familiarity").innerText(), /The same by supervised/);
  assert.equal(await page.locator("#familiarity .map").count(), 2);
  assert.match(await page.locator("#trust").innerText(), /noise/);
  await page.screenshot({ path: `${dist}screenshots/real.png`, fullPage: true });
  await page.setViewportSize({ width: 375, height: 800 });
  assert.equal(await overflow(page), 0);
  quiet();
});
