import { createContext, type ReactNode, use, useEffect, useMemo, useSyncExternalStore } from 'react';
import { type Db, useApi } from '../../../shared/api.tsx';
import { isObject } from '../../../shared/graph/drawn_node.ts';
import { flowLimits } from '../../../../types/limits/flows.ts';
import { askDatabase } from '../../check_flow.ts';
import { useEditor } from '../editor_context.tsx';
import { type Checked, type Checker, type CheckResult, makeChecker, type Problems } from './checker.ts';
import { messagesByNode, readProblems } from './problem.ts';

/** Checks a flow in the database, and its scripts in the browser. */
async function checkFlow(db: Db, flowId: number, { document, environment, isSaved }: Checked): Promise<CheckResult> {
  // Only editors use the other members of nodes.
  const nodes = document.nodes.map(({ id, data }) => ({ id, data }));
  const flow = { id: flowId, nodes, edges: document.edges, environment };
  const isLarge = JSON.stringify(flow).length > flowLimits.checked_flow_bytes.value;
  const { scriptProblems } = await import('./script_problems.ts');
  const ofScripts = scriptProblems(document);
  let result = isLarge ? 'too large' : await askDatabase(db, { flow });
  if (result === 'too large' && isSaved) result = await askDatabase(db, { flow_id: flowId });
  if (result === 'too large') return 'too large';
  const { problems, is_complete: isComplete } = isObject(result) ? result : {};
  // Leaves out the problem `flow_empty`, because an empty canvas shows a message of its own.
  const found = readProblems(problems, document, flowId).filter(({ code }) => code !== 'flow_empty');
  const all = [...await ofScripts, ...found];
  const refusals = all.filter(({ severity }) => severity === 'prevents_deploy');
  return {
    list: [...refusals, ...all.filter((problem) => !refusals.includes(problem))],
    isComplete: isComplete !== false,
  };
}

const ProblemsContext = createContext<Checker | undefined>(undefined);

/** Finds the problems of the open flow while the user draws, and marks them on the canvas. */
export function ProblemsProvider({ children }: { children: ReactNode }) {
  const { flow, store, isOwner } = useEditor();
  const { db } = useApi();
  const checker = useMemo(() => makeChecker(store, (checked) => checkFlow(db, flow.id, checked)), [db, flow.id, store]);
  useEffect(() => {
    // Only the owner sees the problems, because only the owner can change and deploy the flow.
    if (!isOwner) return undefined;
    const mark = () => store.showProblems(messagesByNode(checker.state().list));
    const unmark = checker.subscribe(mark);
    const stop = checker.start();
    return () => {
      unmark();
      stop();
    };
  }, [checker, isOwner, store]);
  return <ProblemsContext value={checker}>{children}</ProblemsContext>;
}

/** Returns the part of the editor that finds problems. Throws outside of a ProblemsProvider. */
export function useChecker(): Checker {
  const checker = use(ProblemsContext);
  if (checker === undefined) throw new Error('There is no ProblemsProvider.');
  return checker;
}

/** Returns the problems of the open flow. Components update when the problems change. */
export function useProblems(): Problems {
  const checker = useChecker();
  return useSyncExternalStore(checker.subscribe, checker.state);
}
