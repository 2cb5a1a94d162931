import { createClient } from '@supabase/supabase-js';

/** The smallest function with a client. It is the baseline for a cold start. */
export default {
  fetch: (): Response => new Response(typeof createClient),
};
