import { createClient } from '@supabase/supabase-js';

/** What a function with a client is at the least: what a cold start is measured against. */
export default {
  fetch: (): Response => new Response(typeof createClient),
};
