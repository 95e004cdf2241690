// The document that `penumbra report` writes into the page. A field with ? may be absent or null;
// what needs it is then left out.

export type Maybe<T> = T | null | undefined;

export interface Report {
  version: string;
  runs: Run[];
}

export interface Run {
  name: string;
  folder: string;
  what: What;
  classes: string[];
  result?: Maybe<Result>;
  baseline?: Maybe<{ name: string; run: number; seconds: number; accuracy: Interval }>; // the supervised run, by its place in runs
  curves: Curve[];
  pictures?: Maybe<Pictures>;
  familiarity?: Maybe<Familiarity>;
  thresholds?: Maybe<Thresholds>;
  map?: Maybe<{ points: MapPoint[] }>;
  verdicts?: Maybe<Record<Verdict, Count>>;
  calibration?: Maybe<{ raw: Calibration; calibrated?: Maybe<Calibrated> }>;
  selective?: Maybe<Selective[]>;
  strangers?: Maybe<Strangers[]>;
  confusion?: Maybe<number[][]>; // [true][predicted], pictures
  per_class?: Maybe<PerClass[]>;
  galleries?: Maybe<Gallery[]>;
}

export interface What {
  data: string;
  method: string;
  backbone: string;
  preset: string;
  labels: number;
  validation_labels: number;
  unlabelled: number;
  steps: number;
  seconds: number;
  images_per_second: number;
  seed: number;
  parameters: number;
}

export type Verdict = "sure" | "ambiguous" | "unfamiliar";

// Shares and probabilities are 0 to 1 everywhere.
export interface Interval {
  value: number;
  low: number;
  high: number;
}

export interface Result {
  images: number;
  accuracy: Interval;
  top5: number;
  balanced_accuracy: number;
  nll: number;
}

export interface Curve {
  name: string; // "loss/supervised", "mask", "validation/accuracy", ...
  steps: number[];
  values: Maybe<number>[]; // JSON has no NaN
}

// One image with every picture: number i is in column i % columns, row floor(i / columns).
export interface Pictures {
  width: number;
  height: number;
  columns: number;
  count: number;
  sheet: string; // data:image/webp;base64,...
}

export interface Familiarity {
  score: string; // the estimator
  about?: Maybe<string>; // what it measures
  quantiles: { share: number; value: number }[]; // of validation pictures
  groups: { name: string; values: number[] }[];
}

// What the verdicts go by: quantiles of validation pictures, and a least probability.
export interface Thresholds {
  unfamiliar: number;
  ambiguous: number;
  sure: number;
  variance: boolean; // whether aleatoric is a variance that the network predicts
}

export interface MapPoint {
  x: number;
  y: number;
  group: string; // "labelled", "unlabelled, strong view", or "labelled, strong view" where all are
  class: number; // true for labelled points, predicted for the others
  picture: number;
  probability: number;
  entropy: number; // 0 one class, 1 all alike
  // Null, as the verdict, for a model without uncertainties.
  aleatoric: Maybe<number>;
  epistemic: Maybe<number>;
  epistemic_percentile: Maybe<number>;
  verdict: Maybe<string>;
}

export interface Count {
  images: number;
  right: number;
}

export interface Calibration {
  nll: number;
  brier: number;
  ece: number;
  aece: number;
  mce: number;
  bins: { images: number; confidence: number; accuracy: number }[];
}

export interface Calibrated extends Calibration {
  temperature: number;
}

export interface Selective {
  score: string;
  aurc: number;
  augrc: number;
  coverage_at_5_risk: number;
  risk_at_80_coverage: number;
  error_auroc: Maybe<number>; // null where all answers are right, or none
  coverage: number[];
  risk: number[];
}

export interface Strangers {
  name: string;
  about?: Maybe<string>; // what the pictures of a dataset are; a folder has only its name
  images: number;
  unfamiliar: Maybe<number>; // pictures; null for a model without uncertainties
  scores: Detection[];
}

export interface Detection {
  score: string;
  auroc: number;
  aupr_out: number;
  aupr_in: number;
  fpr95: number;
  roc: [number, number][]; // false positive rate, true positive rate
}

export interface PerClass {
  class: string;
  images: number;
  precision: Maybe<number>; // null where it was never called so
  recall: Maybe<number>; // null where no test picture is of it
}

export interface Gallery {
  name: string;
  explanation: string;
  items: GalleryItem[];
}

export interface GalleryItem {
  picture: number;
  label: string | null;
  predicted: string;
  probability: number;
  entropy: number; // 0 one class, 1 all alike
  epistemic_percentile: Maybe<number>;
  verdict: Maybe<string>;
}
