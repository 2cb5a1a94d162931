import { RpcError } from './rpc_error.ts';

/** What goes wrong with a call. */
export type Fault =
  /** The call is carried out, and answered after this delay. */
  | { type: 'delay'; ms: number }
  /** An error of the RPC instead of the answer; the call is not carried out. */
  | { type: 'error'; code: number; message: string; data?: unknown }
  /** A status of HTTP instead of the answer, as from a proxy in front of the node; the call is not carried out. */
  | { type: 'status'; status: number; headers?: { [name: string]: string }; body?: string }
  /** The connection is closed instead of an answer; the call is not carried out. */
  | { type: 'refuse' }
  /** The call is carried out, and the connection closed instead of an answer. */
  | { type: 'lose_answer' };

/** Faults for calls to come. */
export interface Faults {
  /** The next `times` calls (default 1) of a method, or of any, go wrong in this way. */
  inject: (fault: Fault & { method?: string; times?: number }) => void;
  /** The fault of this call, if it has one; it is used up. */
  take: (method: string) => Fault | undefined;
}

export function makeFaults(): Faults {
  const pending: (Fault & { method?: string; times: number })[] = [];
  return {
    inject: (fault) => void pending.push({ times: 1, ...fault }),
    take(method) {
      const index = pending.findIndex((fault) => fault.method === undefined || fault.method === method);
      const fault = pending[index];
      if (fault !== undefined && --fault.times === 0) pending.splice(index, 1);
      return fault;
    },
  };
}

/** A fault of the connection, which the HTTP server acts on. */
export class ConnectionFault extends Error {
  override name = 'ConnectionFault';
  /** What is answered instead; undefined for no answer. */
  answer: Extract<Fault, { type: 'status' }> | undefined;
  constructor(answer?: Extract<Fault, { type: 'status' }>) {
    super('the connection fails on purpose');
    this.answer = answer;
  }
}

/** Carries a call out with a fault, if there is one. */
export async function carryOutWithFault<T>(fault: Fault | undefined, carryOut: () => T | Promise<T>): Promise<T> {
  if (fault?.type === 'error') throw new RpcError(fault.code, fault.message, fault.data);
  if (fault?.type === 'status') throw new ConnectionFault(fault);
  if (fault?.type === 'refuse') throw new ConnectionFault();
  const result = await carryOut();
  if (fault?.type === 'lose_answer') throw new ConnectionFault();
  if (fault?.type === 'delay') await new Promise((resolve) => setTimeout(resolve, fault.ms));
  return result;
}
