/** The description of an error code. */
export interface ErrorEntry {
  /** The HTTP status. */
  status: number;
  /** The general meaning. The text that a caller reads stands where the error is raised. */
  meaning: string;
  /** The advice to the caller. */
  remedy: string;
  /** An example answer for the description of the API; absent if no described operation gives the code. */
  example?: {
    message: string;
    details?: unknown;
    hint?: string;
  };
}
