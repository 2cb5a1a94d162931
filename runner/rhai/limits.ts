/** The limits of a script. */
export interface RhaiLimits {
  /** Number of statements, operators, calls, rounds of loops, and copied elements that a run may execute. */
  operations: number;
  /** Characters of a string, and of all strings in one array or map together. */
  stringLength: number;
  /** Elements of an array, including those of all arrays in it. The same number limits the entries of maps. */
  elements: number;
  /** Variables and constants that exist at the same time in the script, or in one call of a function. */
  variables: number;
  /** The depth to which calls of functions may be nested. */
  callDepth: number;
  /** The depth to which blocks and expressions of the source text may be nested. */
  sourceDepth: number;
  /** The depth to which arrays and maps may be nested. */
  dataDepth: number;
  /** Characters of the source text. */
  sourceLength: number;
}

/** The default limits. The first five are those of the reference server, a flow server in Rust. */
export const DEFAULT_LIMITS: Readonly<RhaiLimits> = Object.freeze({
  operations: 10_000_000,
  stringLength: 50_000,
  elements: 10_000,
  variables: 50,
  callDepth: 256,
  sourceDepth: 64,
  dataDepth: 64,
  sourceLength: 262_144,
});
