import type { Run } from "./report";

// What each run is called on the page: by its name, and by its folder where two have the same name.
export function titles(runs: Pick<Run, "name" | "folder">[]): string[] {
  return runs.map(({ name, folder }) => (runs.filter((other) => other.name === name).length > 1 ? folder : name));
}
