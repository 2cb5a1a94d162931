/** The description of an error code. */
export interface ErrorEntry {
  /** The HTTP status. */
  status: number;
  /** The general meaning. The text that a caller reads is in the code that raises the error. */
  meaning: string;
  /** The advice to the caller. */
  remedy: string;
  /**
   * An example answer for the description of the API. The example is missing if no operation in the description returns
   * the code.
   */
  example?: {
    message: string;
    details?: unknown;
    hint?: string;
  };
}
