import {
  type InputRequests,
  inputRequired,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import { isErrorOf } from '../../../platform/api_error.ts';
import type { StartResult } from '../../../types/deployment.ts';
import type { DescribedTool } from '../../../types/deployment_description.ts';
import { type EndedStatus, hasEnded, type RunQuestion, type ToolRun } from '../../../types/flow_run.ts';
import type { Deps } from '../../_shared/deps.ts';
import type { AcceptedRequest, Runs } from '../accepted_request.ts';
import { answerQuestions } from './answer_questions.ts';
import { type CallWatch, type OnProgress, watchRun } from './await_run.ts';
import { formOf } from './questions.ts';
import { type CallState, LAST_ROUND, readState, writeState } from './request_state.ts';
import { endOf, orRefusal, type ToolResult, unfinished } from './results.ts';

/** What the client of a call has sent, and what it can do. */
export interface CallClient {
  /** False for the revision 2025-11-25, whose calls have one round, and whose streams break without a cancellation. */
  hasRounds: boolean;
  /** How the client can ask its user. */
  asksBy: { form: boolean; url: boolean };
  requestState: string | undefined;
  inputResponses: Record<string, unknown>;
  /** Is aborted when the client cancels the call. */
  signal: AbortSignal;
  onProgress: OnProgress | undefined;
}

/** A tool call with its run. */
interface Call {
  tool: DescribedTool;
  accepted: AcceptedRequest;
  deps: Deps;
  runs: Runs;
  client: CallClient;
  flowRunId: string;
  state: CallState;
  /** The run as it was at the beginning of this round. Undefined if it has just been started. */
  run?: ToolRun;
  /** Why answers of the user were refused. */
  faults: string[];
}

type CallResult = ToolResult | InputRequiredResult;

const invalidState = () => new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState');

const tokenHeaders = ({ accepted, state }: Pick<Call, 'accepted' | 'state'>) => ({
  ...accepted.credentials.headers,
  'x-flow-run-token': state.token,
});

/** Reads the run of a call. The database checks the token, the caller and the flow. */
const readRun = (call: Omit<Call, 'flowRunId' | 'faults'>): Promise<ToolRun> =>
  call.deps.rpc<ToolRun>(
    'tool_run',
    { deployment_id: call.tool.deployment_id, public_key: call.accepted.credentials.publicKey },
    tokenHeaders(call),
  );

/** Starts the deployment. */
async function startRun(tool: DescribedTool, { message, credentials }: AcceptedRequest, deps: Deps) {
  const args = { id: tool.deployment_id, values: message.toolArguments, public_key: credentials.publicKey };
  return await deps.rpc<StartResult>('start_deployment', args, credentials.headers);
}

/** Goes on with a call of an earlier request: reads its run, and passes on the answers of the user. */
async function resume(
  common: Pick<Call, 'tool' | 'accepted' | 'deps' | 'runs' | 'client'>,
  requestState: string,
): Promise<Call> {
  const { tool, accepted, deps, runs, client } = common;
  const state = readState(requestState, tool.name);
  if (state === undefined) throw invalidState();
  const headers = tokenHeaders({ accepted, state });
  const run = await readRun({ ...common, state }).catch((error: unknown) => {
    throw isErrorOf(error, 'flow_run_not_found') || isErrorOf(error, 'token_invalid') ? invalidState() : error;
  });
  const { fetch } = runs;
  const functionsUrl = `${deps.config.supabaseUrl}/functions/v1`;
  const faults = await answerQuestions(run.questions, client.inputResponses, { fetch, functionsUrl, headers });
  const now = run.questions.length > 0 ? await readRun({ ...common, state }) : run;
  return { ...common, flowRunId: run.flow_run_id, state, run: now, faults };
}

/** Makes the form of a question as a request to the client. */
function formRequest(question: RunQuestion, faults: string[]): InputRequests[string] | undefined {
  const form = question.url === undefined ? undefined : formOf(question);
  if (form === undefined) return undefined;
  const message = [...faults, form.message].join('\n\n');
  return inputRequired.elicit({ message, requestedSchema: form.requestedSchema as never });
}

/**
 * Asks what the run asks: the user of the client by a form, if the client has forms and the user may answer. Else tells
 * that somebody is asked in the console. Returns undefined if all of this has been told already.
 */
function ask(call: Call, { questions, asks_for_signature }: ToolRun): CallResult | undefined {
  const { client, state, flowRunId, runs } = call;
  const forms = questions.map((question) =>
    [question.id, client.asksBy.form ? formRequest(question, call.faults) : undefined] as const
  );
  const requests: InputRequests = Object.fromEntries(
    forms.filter((entry): entry is [string, InputRequests[string]] => entry[1] !== undefined),
  );
  const hasOthers = asks_for_signature || forms.some(([, form]) => form === undefined);
  const page = runs.consoleUrl && `${runs.consoleUrl}/runs/${flowRunId}`;
  const message = asks_for_signature ? 'The run waits for a signature.' : 'The run waits for the answer of a person.';
  const told = page === undefined ? message : `${message} See ${page}`;
  if (!client.hasRounds || state.round >= LAST_ROUND) return unfinished(flowRunId, told);
  if (hasOthers && !state.isTold) {
    if (page === undefined || !client.asksBy.url) return unfinished(flowRunId, told);
    requests.page = inputRequired.elicitUrl({ message, url: page });
  }
  if (Object.keys(requests).length === 0) return undefined;
  const next = { ...state, round: state.round + 1, isTold: state.isTold || hasOthers };
  return inputRequired({ inputRequests: requests, requestState: writeState(next) });
}

/** Ends a round in which the run has not ended. */
function pause({ client, runs, state, flowRunId }: Call): CallResult {
  if (client.hasRounds && state.round < LAST_ROUND) {
    return inputRequired({ requestState: writeState({ ...state, round: state.round + 1 }) });
  }
  return unfinished(flowRunId, `The run has not ended within ${runs.roundMs / 1_000} s.`);
}

/** Stops the run of a cancelled call. In the revision 2025-11-25 a broken stream is no cancellation. */
async function cancel(call: Call): Promise<void> {
  if (!call.client.hasRounds) return;
  const args = { flow_run_id: call.flowRunId, reason: 'The assistant has cancelled the call.' };
  await call.deps.rpc('stop_flow_run', args, tokenHeaders(call));
  call.runs.pokeRunner(call.flowRunId);
}

/** Waits until the run has ended, asks somebody, or the round is over. */
async function follow(call: Call, watch: CallWatch): Promise<CallResult> {
  const { client, tool, flowRunId } = call;
  const until = performance.now() + call.runs.roundMs;
  let { run } = call;
  while (true) {
    if (run !== undefined && hasEnded(run.status)) {
      return endOf(flowRunId, { ...run, status: run.status as EndedStatus }, tool);
    }
    if (run !== undefined && (run.asks_for_signature || run.questions.length > 0)) {
      const asked = ask(call, run);
      if (asked !== undefined) return asked;
    }
    const news = await watch.next(until - performance.now(), client.signal);
    if (client.signal.aborted) await cancel(call);
    if (news === undefined) return pause(call);
    if (news !== 'asks') return endOf(flowRunId, news.ended, tool);
    run = await readRun(call);
  }
}

/** Starts the deployment of a tool, or goes on with an earlier request, and waits for the output of the run. */
export async function callTool(
  tool: DescribedTool,
  accepted: AcceptedRequest,
  services: { deps: Deps; runs: Runs; client: CallClient },
): Promise<CallResult> {
  const { deps, runs, client } = services;
  const common = { tool, accepted, deps, runs, client };
  let call: Call;
  if (client.requestState !== undefined) {
    call = await resume(common, client.requestState);
  } else {
    const started = await orRefusal(() => startRun(tool, accepted, deps));
    if ('content' in started) return started;
    const state = { round: 1, isTold: false, tool: tool.name, token: started.token };
    call = { ...common, flowRunId: started.flow_run_id, state, faults: [] };
  }
  runs.pokeRunner(call.flowRunId);
  const watch = watchRun(runs, call.flowRunId, client.onProgress);
  try {
    return await follow(call, watch);
  } finally {
    watch.close();
  }
}
