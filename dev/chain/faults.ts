import { RpcError } from './rpc_error.ts';

/** A fault of a call. */
type Fault =
  /** The call is executed, and answered after this delay. */
  | { type: 'delay'; ms: number }
  /** The RPC answers with an error; the call is not executed. */
  | { type: 'error'; code: number; message: string; data?: unknown }
  /** The caller gets this HTTP status, as from a proxy in front of the node; the call is not executed. */
  | { type: 'status'; status: number; headers?: { [name: string]: string }; body?: string }
  /** The connection is closed without an answer; the call is not executed. */
  | { type: 'refuse' }
  /** The call is executed, and the connection is closed without an answer. */
  | { type: 'lose_answer' };

/** Faults of future calls, for tests. */
export interface Faults {
  /**
   * Makes the next `times` calls (default 1) of `method` fail in this way; without `method`, the next calls of any
   * method.
   */
  inject: (fault: Fault & { method?: string; times?: number }) => void;
  /** Returns the fault of this call, if there is one, and counts it as used. */
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

/** A failing connection. The HTTP server that catches this error makes the connection fail. */
export class ConnectionFault extends Error {
  override name = 'ConnectionFault';
  /** The answer to send; undefined for no answer. */
  answer: Extract<Fault, { type: 'status' }> | undefined;
  constructor(answer?: Extract<Fault, { type: 'status' }>) {
    super('the connection fails on purpose');
    this.answer = answer;
  }
}

/** Executes a call, with the given fault if there is one. */
export async function carryOutWithFault<T>(fault: Fault | undefined, carryOut: () => T | Promise<T>): Promise<T> {
  if (fault?.type === 'error') throw new RpcError(fault.code, fault.message, fault.data);
  if (fault?.type === 'status') throw new ConnectionFault(fault);
  if (fault?.type === 'refuse') throw new ConnectionFault();
  const result = await carryOut();
  if (fault?.type === 'lose_answer') throw new ConnectionFault();
  if (fault?.type === 'delay') await new Promise((resolve) => setTimeout(resolve, fault.ms));
  return result;
}
