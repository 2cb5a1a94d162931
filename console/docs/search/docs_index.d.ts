/** The index of the documentation, which `console/vite.config.ts` makes when the console is built. */
declare module 'virtual:docs-index' {
  /** A list of `DocsSection`. */
  const sections: unknown;
  export default sections;
}
