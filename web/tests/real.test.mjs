// The page that the command itself wrote: REPORT=run/report.html npm test
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
  for (const id of ["result", "training", "familiarity", "trust", "classes", "pictures"]) {
    assert.ok(await page.locator(`section#${id}`).isVisible(), id);
  }
  await page.locator('[data-point="3"]').hover({ force: true }); // others may lie on it
  assert.match(await page.locator("[data-details]").innerText(), /probability \d+\.\d\s%/);
  await page.screenshot({ path: `${dist}screenshots/real.png`, fullPage: true });
  await page.setViewportSize({ width: 375, height: 800 });
  assert.equal(await overflow(page), 0);
  quiet();
});
