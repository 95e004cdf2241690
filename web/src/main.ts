import { mount } from "svelte";
import App from "./App.svelte";
import Unreadable from "./Unreadable.svelte";
import type { Report } from "./report";
import "./style.css";

const target = document.getElementById("report")!;
try {
  const report: Report = JSON.parse(document.getElementById("penumbra-data")!.textContent!);
  mount(App, { target, props: { report } });
} catch (error) {
  mount(Unreadable, { target, props: { reason: String(error) } });
}
