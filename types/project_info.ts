/** The answer of `GET /info`. */
export interface ProjectInfo {
  /** The address of the project, for clients of Supabase. */
  supabase_url: string;
  /** The publishable key of the project, or its anon key if it has none. */
  anon_key: string;
  /** The address of the Edge Functions. */
  base_url: string;
}

/** The answer of `GET /healthcheck` while the database answers. */
export interface HealthcheckResult {
  success: true;
}
