// A made-up report that looks like a real one; the same on every call.
import { png } from "./png.mjs";

const names = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"];

function make_random(seed) {
  let state = seed;
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  const integer = (n) => Math.floor(n * uniform());
  return { uniform, normal, integer };
}

function curves(random, final) {
  const over = (name, f, every = 10) => {
    const steps = Array.from({ length: 12000 / every }, (_, i) => (i + 1) * every);
    return { name, steps, values: steps.map((step) => f(step / 12000)) };
  };
  const noisy = (value, spread) => value + spread * random.normal();
  return [
    over("loss/supervised", (t) => Math.abs(noisy(2.1 * Math.exp(-6 * t) + 0.03, 0.03))),
    over("loss/consistency", (t) => Math.abs(noisy(0.5 * Math.exp(-2 * t) + 0.12, 0.03))),
    over("loss/certificates", (t) => Math.abs(noisy(0.9 * Math.exp(-9 * t) + 0.05, 0.02))),
    over("mask", (t) => Math.min(1, noisy(0.95 - 0.8 * Math.exp(-5 * t), 0.02))),
    over("pseudo_label_accuracy", (t) => Math.min(1, noisy(final - 0.2 * Math.exp(-4 * t), 0.015))),
    over("validation/accuracy", (t) => noisy(final - 0.55 * Math.exp(-6 * t), 0.006), 400),
    over("loss", (t) => 3.5 * Math.exp(-4 * t) + 0.2),
    over("threshold", (t) => 0.95 - 0.1 * Math.exp(-5 * t)),
    over("gate/open", (t) => 0.8 - 0.3 * Math.exp(-5 * t)),
    over("lr", (t) => 0.03 * Math.cos((7 * Math.PI * t) / 16)),
    over("gradient", (t) => Math.abs(noisy(1.5 * Math.exp(-3 * t) + 0.4, 0.1))),
    over("variance/mean", (t) => noisy(0.4 * Math.exp(-3 * t) + 0.1, 0.01)),
  ];
}

// Each class is a disc, bar or ring on a ground of its own colour.
function pictures(count, classes_of, random) {
  const size = 32;
  const columns = 20;
  const looks = Array.from({ length: count }, (_, i) => ({
    kind: classes_of(i),
    x: 12 + random.integer(8),
    y: 12 + random.integer(8),
    light: 0.7 + 0.5 * random.uniform(),
  }));
  const sheet = png(columns * size, Math.ceil(count / columns) * size, (x, y) => {
    const look = looks[Math.floor(y / size) * columns + Math.floor(x / size)];
    if (!look) return [0, 0, 0];
    const dx = (x % size) - look.x;
    const dy = (y % size) - look.y;
    const far = Math.hypot(dx, dy);
    const inside = [far < 9, Math.abs(dx) < 5, far > 6 && far < 11, Math.abs(dx) + Math.abs(dy) < 11][look.kind % 4];
    const shade = inside ? 0.45 : 1 - 0.012 * (y % size);
    return [0, 2, 4].map((k) => Math.min(255, 255 * look.light * shade * (0.6 + 0.3 * Math.sin(look.kind * 1.3 + k))));
  });
  return { width: size, height: size, columns, count, sheet: `data:image/png;base64,${sheet.toString("base64")}` };
}

function map(classes, random) {
  const points = Array.from({ length: 600 }, (_, i) => {
    const kind = i % classes;
    const stray = i >= 100 && random.uniform() < 0.12;
    const angle = (2 * Math.PI * kind) / Math.min(classes, 10) + 0.3 * Math.floor(kind / 10);
    const reach = 22 + 9 * (kind % 3);
    const percentile = stray ? 0.9 + 0.1 * random.uniform() : 0.9 * random.uniform();
    return {
      x: reach * Math.cos(angle) + (stray ? 10 : 3.2) * random.normal(),
      y: reach * Math.sin(angle) + (stray ? 10 : 3.2) * random.normal(),
      group: i < 100 ? "labelled" : "unlabelled, strong view",
      class: kind,
      picture: i % 200,
      probability: stray ? 0.3 + 0.4 * random.uniform() : 0.8 + 0.2 * random.uniform(),
      entropy: stray ? 0.6 : 0.1,
      aleatoric: stray ? 0.7 : 0.2,
      epistemic: 20 + 300 * percentile ** 2,
      epistemic_percentile: percentile,
      verdict: percentile > 0.95 ? "unfamiliar" : stray || random.uniform() < 0.1 ? "ambiguous" : "sure",
    };
  });
  return { points };
}

function familiarity(random) {
  const values = (n, centre, spread) =>
    Array.from({ length: n }, () => +(centre * Math.exp(spread * random.normal())).toFixed(5));
  return {
    score: "mahalanobis",
    about: "distance to the nearest class mean",
    quantiles: [{ share: 0.5, value: 0.1 }, { share: 0.9, value: 0.175 }, { share: 0.95, value: 0.215 }],
    groups: [
      { name: "labelled", values: values(250, 0.08, 0.35) },
      { name: "unlabelled, weak view", values: values(2000, 0.1, 0.42) },
      { name: "unlabelled, strong view", values: values(2000, 0.16, 0.5) },
    ],
  };
}

function calibration(over) {
  const bins = Array.from({ length: 15 }, (_, i) => {
    const confidence = (i + 0.5) / 15;
    return { images: i < 3 ? 0 : Math.round(20 + 6000 * (i / 14) ** 9), confidence, accuracy: confidence ** over };
  });
  return { nll: 0.2 + 0.05 * over, brier: 0.09, ece: 0.03 * (over - 1) + 0.006, aece: 0.03 * (over - 1) + 0.005, mce: 0.1 * over, bins };
}

function selective() {
  const coverage = Array.from({ length: 500 }, (_, i) => (i + 1) / 500);
  return [["epistemic by mahalanobis", 1.8], ["entropy", 2.6], ["max_probability", 2.5], ["certificates", 1.4]].map(([score, power]) => ({
    score, error_auroc: power / (power + 1), aurc: 0.06 / (power + 1), augrc: 0.05 / (power + 1), coverage_at_5_risk: 0.95, risk_at_80_coverage: 0.06 * 0.8 ** power,
    coverage, risk: coverage.map((share) => 0.06 * share ** power),
  }));
}

function strangers() {
  const set = (name, about, images, unfamiliar, powers) => ({
    name, about, images, unfamiliar,
    scores: ["epistemic by mahalanobis", "entropy", "certificates"].map((score, i) => {
      const roc = Array.from({ length: 201 }, (_, k) => [k / 200, (k / 200) ** (1 / powers[i])]);
      const auroc = powers[i] / (powers[i] + 1);
      return { score, auroc, aupr_out: auroc - 0.02, aupr_in: auroc - 0.04, fpr95: 0.95 ** powers[i], roc };
    }),
  });
  return [
    set("photos/others", "", 10000, 8120, [14, 7, 10]),
    set("noise", "random values", 1000, 990, [60, 9, 40]),
  ];
}

function confusion(classes, per, random) {
  return classes.map((_, i) => {
    const row = classes.map(() => 0);
    for (let k = 0; k < per; ++k) {
      const near = i ^ 1;
      const chance = random.uniform();
      row[chance < 0.93 ? i : chance < 0.965 && near < classes.length ? near : random.integer(classes.length)] += 1;
    }
    return row;
  });
}

function galleries(classes, random) {
  const item = (picture, right, verdict) => {
    const predicted = classes[picture % classes.length];
    return {
      picture,
      label: right === null ? null : right ? predicted : classes[(picture + 3) % classes.length],
      predicted,
      probability: verdict === "sure" ? 0.97 + 0.03 * random.uniform() : 0.35 + 0.4 * random.uniform(),
      entropy: verdict === "sure" ? 0.03 : 0.4 + 0.3 * random.uniform(),
      aleatoric: 0.3,
      epistemic: 0.12,
      epistemic_percentile: verdict === "unfamiliar" ? 0.99 : 0.5,
      verdict,
    };
  };
  const gallery = (name, explanation, n, start, right, verdict) => ({
    name, explanation, items: Array.from({ length: n }, (_, i) => item(start + i, right, verdict)),
  });
  return [
    gallery("Sure and wrong", "The mistakes it was most sure of: wrong labels are often found here.", 8, 0, false, "sure"),
    gallery("Ambiguous", "Test pictures with the highest entropy.", 20, 20, true, "ambiguous"),
    gallery("Unfamiliar", "Unlabelled pictures that are least like anything seen.", 8, 60, null, "unfamiliar"),
  ];
}

// `baseline`: the place of the supervised run in the report; -1: it is not there.
export function full_run({ name = "cifar10-penumbra", seed = 1, accuracy = 0.941, classes = names, baseline = -1 } = {}) {
  const random = make_random(seed);
  const matrix = confusion(classes, 10000 / classes.length, random);
  const column = (i) => matrix.reduce((sum, row) => sum + row[i], 0);
  const around = (value) => ({ value, low: value - 0.0046, high: value + 0.0044 });
  return {
    name,
    folder: `runs/${name}`,
    what: {
      data: "cifar10", method: "penumbra", backbone: "wide_resnet", preset: "paper", labels: 250, validation_labels: 500,
      unlabelled: 49250, steps: 12000, seconds: 6480, images_per_second: 830, seed, parameters: 1467610,
    },
    classes,
    result: { images: 10000, accuracy: around(accuracy), top5: 0.997, balanced_accuracy: accuracy - 0.001, nll: 0.221 },
    baseline: { name: "cifar10-supervised", run: baseline, seconds: 720, accuracy: around(0.487) },
    thresholds: { unfamiliar: 0.95, ambiguous: 0.9, sure: 0.7, variance: true },
    curves: curves(random, accuracy),
    pictures: pictures(200, (i) => i % classes.length, random),
    familiarity: familiarity(random),
    map: map(classes.length, random),
    verdicts: {
      sure: { images: 8420, right: 8301 }, ambiguous: { images: 1010, right: 742 }, unfamiliar: { images: 570, right: 367 },
    },
    calibration: { raw: calibration(1.6), calibrated: { ...calibration(1.06), temperature: 1.83 } },
    selective: selective(),
    strangers: strangers(),
    confusion: matrix,
    per_class: classes.map((label, i) => ({
      class: label, images: 10000 / classes.length, precision: matrix[i][i] / column(i), recall: (matrix[i][i] * classes.length) / 10000,
    })),
    galleries: galleries(classes, random),
  };
}

// Only what every run has; what is unknown is null or absent.
export function bare_run() {
  const { name, folder, what, classes } = full_run();
  return { name: `${name}-bare`, folder, what, classes, curves: [], result: null, map: null };
}

export const report = (...runs) => ({ version: "0.1.0", runs });
