import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createServer } from "vite";

const vite = await createServer({
  server: { middlewareMode: true, ws: false },
  optimizeDeps: { noDiscovery: true },
  appType: "custom",
});
after(() => vite.close());
const load = (name) => vite.ssrLoadModule(`/src/${name}.ts`);

const { about, duration, exact, histogram, percent, quantile, short } = await load("numbers");
const { every, others, thin } = await load("curves");
const { nearest, neighbour } = await load("neighbour");
const { mistakes } = await load("confusions");
const { titles } = await load("titles");

test("numbers that are missing are a dash", () => {
  assert.equal(percent(null), "–");
  assert.equal(percent(NaN), "–");
  assert.equal(percent(0.9412), "94.1\u00a0%");
});

test("only all is 100 % and only nothing 0 %", () => {
  const text = [0, 0.00001, 0.0002, 0.004, 0.934, 0.995, 0.9998, 0.99999, 1].map(about).map((each) => each.replaceAll("\u00a0", " "));
  assert.deepEqual(text, ["0 %", "0.01 %", "0.02 %", "0.4 %", "93 %", "99.5 %", "99.98 %", "99.99 %", "100 %"]);
  assert.equal(about(null), "–");
  assert.deepEqual([0.95, 0.995].map(exact), ["95\u00a0%", "99.5\u00a0%"]);
});

test("runs of one name are called by their folders", () => {
  const runs = [{ name: "run", folder: "a/run" }, { name: "run", folder: "b/run" }, { name: "c", folder: "d/c" }];
  assert.deepEqual(titles(runs), ["a/run", "b/run", "c"]);
});

test("curves that no chart has yet are grouped by what stands before the slash", () => {
  const curves = ["mask", "gate/open", "gate/far", "class_threshold"].map((name) => ({ name, steps: [1], values: [1] }));
  const groups = others(curves, (name) => name === "mask").map(({ title, curves }) => [title, curves.map(({ name }) => name)]);
  assert.deepEqual(groups, [["Gate", ["open", "far"]], ["Class threshold", ["class_threshold"]]]);
});

test("short numbers have three digits", () => {
  assert.deepEqual([12000, 4.251, 0.0003].map(short), ["12k", "4.25", "0.0003"]);
});

test("durations use the units people use", () => {
  assert.deepEqual([12, 600, 6480].map(duration), ["12 s", "10 min", "1 h 48 min"]);
});

test("a histogram counts outliers in its outermost bins", () => {
  assert.deepEqual(histogram([-9, 0.1, 0.9, 9], 0, 1, 2).map((bin) => bin.share), [0.5, 0.5]);
  assert.equal(histogram([3, 3], 3, 3, 2)[0].share, 1);
});

test("a quantile lies between its neighbours", () => {
  assert.equal(quantile([1, 2, 4], 0.75), 3);
});

test("thinning means over steps and skips what is not a number", () => {
  const samples = thin({ name: "x", steps: [1, 2, 3, 4], values: [1, 3, null, 5] }, 2);
  assert.deepEqual(samples, [
    { series: "x", step: 1.5, value: 2 },
    { series: "x", step: 4, value: 5 },
  ]);
});

test("every keeps the last point", () => {
  assert.deepEqual(every([0, 1, 2, 3, 4, 5], 3), [0, 2, 4, 5]);
});

test("arrow keys go to the nearest point ahead, or stay", () => {
  const places = [{ x: 0, y: 0 }, { x: 10, y: 0 }, { x: 6, y: 6 }, { x: -1, y: 0 }];
  const right = { x: 1, y: 0 };
  assert.equal(neighbour(places, 0, right, () => true), 1);
  assert.equal(neighbour(places, 0, right, (i) => i !== 1), 2);
  assert.equal(neighbour(places, 1, right, () => true), 1);
  assert.equal(nearest(places, { x: 9, y: 0 }, 0.5, () => true), null);
});

test("mistakes come most frequent first, without the diagonal", () => {
  assert.deepEqual(mistakes([[8, 2], [4, 6]]).map(({ truth, images }) => [truth, images]), [[1, 4], [0, 2]]);
});
