/** What is known of an error code. */
export interface ErrorEntry {
  /** The HTTP status. */
  status: number;
  meaning: string;
  /** What the caller does about it. */
  remedy: string;
  /** An answer, for the description of the API. A code that no described operation gives has none. */
  example?: {
    message: string;
    details?: unknown;
    hint?: string;
  };
}
