import { useQuery } from '@tanstack/react-query';
import type { PendingInput } from 'flow-deployments-client';
import { useUserId } from '../../session/use_user_id.ts';
import { type Db, useApi } from '../api.tsx';

export const INBOX_KEY: readonly string[] = ['inbox'];

const REFRESH_MS = 30_000;
/** At most this many inputs are read, and as many signature requests. The oldest come first. */
const READ = 100;

/** A signature that the user is asked for. */
interface AskedSignature {
  id: number;
  root_flow_run_id: string;
  pubkey: string;
  created_at: string;
  expires_at: string;
}

/** The inputs and signatures of the user for which runs wait. */
export interface Inbox {
  inputs: PendingInput[];
  signatures: AskedSignature[];
}

async function readSignatures(db: Db, userId: string, signal: AbortSignal): Promise<AskedSignature[]> {
  const { data } = await db.from('signature_requests').select('id, root_flow_run_id, pubkey, created_at, expires_at')
    .eq('user_id', userId).is('signature', null).gt('expires_at', new Date().toISOString())
    .order('created_at').order('id').limit(READ).abortSignal(signal).throwOnError();
  return data;
}

/** Reads the inbox of the user again every 30 seconds, and when the window gets the focus. */
export function useInbox() {
  const { db, flows } = useApi();
  const userId = useUserId();
  return useQuery({
    queryKey: INBOX_KEY,
    queryFn: async ({ signal }): Promise<Inbox> => {
      const [inputs, signatures] = await Promise.all([
        flows.pendingInputs(undefined, { signal }),
        readSignatures(db, userId, signal),
      ]);
      return { inputs: inputs.filter(({ may_answer }) => may_answer).slice(0, READ), signatures };
    },
    refetchInterval: REFRESH_MS,
    refetchOnWindowFocus: true,
  });
}
