/** What `GET /info` answers. */
export interface ProjectInfo {
  /** The address of the project, for clients of Supabase. */
  supabase_url: string;
  /** The publishable key of the project, or the anon key where it has none. */
  anon_key: string;
  /** Where the Edge Functions are. */
  base_url: string;
}

/** What `GET /healthcheck` answers while the database does. */
export interface HealthcheckResult {
  success: true;
}
