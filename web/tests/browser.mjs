// Opens a report in Chromium and notes everything it complains about or asks a network for.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

export const dist = fileURLToPath(new URL("../dist/", import.meta.url));
for (const folder of ["samples", "screenshots"]) mkdirSync(`${dist}${folder}`, { recursive: true });

const flags =
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";

export const launch = () =>
  chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: flags.split(" ") });

// As the C++ program does it: the token is replaced, and no "<" is left in the data.
export function write_report(name, data) {
  const template = readFileSync(`${dist}report.html`, "utf8");
  const json = JSON.stringify(data).replaceAll("<", "\\u003c");
  const path = `${dist}samples/${name}.html`;
  writeFileSync(path, template.replace("PENUMBRA_DATA", () => json));
  return pathToFileURL(path).href;
}

export const open = (browser, name, data, options = {}) => open_address(browser, write_report(name, data), options);

export async function open_address(browser, address, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: "light", ...options });
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(`error: ${error}`));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on("request", (request) => {
    if (request.url() !== address && !/^(data|blob):/.test(request.url())) complaints.push(`asks for ${request.url()}`);
  });
  await page.goto(address);
  await page.waitForSelector("#result h1");
  return { page, quiet: () => assert.deepEqual(complaints, []) };
}

// How many pixels the page can be scrolled sideways.
export const overflow = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
