import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { createFlowClient, type Database, type FlowClient } from 'flow-deployments-client';
import { createContext, type ReactNode, use } from 'react';
import type { ConsoleConfig } from './config.ts';
import type { SessionStore } from '../session/session.ts';

/** The tables and functions of the project, with the types of the database. */
export type Db = SupabaseClient<Database>;

/** The clients with which the console calls the project. Other programs can use the same clients. */
export interface Api {
  /** Queries tables and functions with the session's token. */
  db: Db;
  /** Deploys, starts and reads flows. */
  flows: FlowClient;
  config: ConsoleConfig;
}

/** Makes the clients. Each request asks the session for its token. */
export function makeApi(config: ConsoleConfig, session: SessionStore): Api {
  const db = createClient<Database>(config.url, config.key, { accessToken: session.accessToken });
  return { db, flows: createFlowClient(db), config };
}

const ApiContext = createContext<Api | undefined>(undefined);

export const ApiProvider = ({ api, children }: { api: Api; children: ReactNode }) => (
  <ApiContext value={api}>{children}</ApiContext>
);

/** Returns the clients. Throws outside of an ApiProvider. */
export function useApi(): Api {
  const api = use(ApiContext);
  if (api === undefined) throw new Error('There is no ApiProvider.');
  return api;
}
