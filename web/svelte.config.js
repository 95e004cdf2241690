// Empty, but svelte-check wants to find it.
export default {};
