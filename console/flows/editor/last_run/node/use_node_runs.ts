import type { ValueMap } from 'flow-deployments-client';
import { useState } from 'react';
import type { PlainObject } from '../../../../shared/graph/drawn_node.ts';
import { useEditor, useEditorState } from '../../editor_context.tsx';
import { drawnNode } from '../../view.ts';
import { useLastRun } from '../last_run_context.tsx';
import { carriedValues, changedValues, readTyped } from '../store/edited_values.ts';
import { nodesInScope, type RunScope } from '../store/reach.ts';
import { useExecutionValues } from '../store/use_execution_values.ts';

/** Returns the result of a node in the last run, the values that the user edits for its next run, and how to run it. */
export function useNodeRuns(json: PlainObject) {
  const { store } = useEditor();
  const { document } = useEditorState();
  const { results, outputs, only, run, isStarting } = useLastRun();
  const node = drawnNode(json);
  const result = results.get(node.id);
  const values = useExecutionValues(node.id, result);
  const [text, setText] = useState<string>();
  const former: ValueMap = { ...values.input, ...carriedValues(document, node.id, outputs) };
  const typed = text === undefined ? undefined : readTyped(text);
  const fault = typed !== undefined && 'fault' in typed ? typed.fault : undefined;
  const runScope = (scope: RunScope) => {
    const changed = typed !== undefined && 'values' in typed && scope !== 'to here'
      ? changedValues(typed.values, former)
      : {};
    run({
      only: nodesInScope(store.state().document, node.id, scope),
      ...(Object.keys(changed).length > 0 && { inline: { [node.id]: changed } }),
    });
  };
  return {
    node,
    result,
    values,
    former,
    /** The edited values as JSON; undefined while they are not edited. */
    text,
    setText,
    fault,
    canRun: fault === undefined && !isStarting,
    runScope,
    // If the failed run executed only this node, the retry also executes only this node.
    retry: () => runScope(result?.isNewest === true && only?.length === 1 ? 'this node' : 'from here'),
  };
}

export type NodeRunning = ReturnType<typeof useNodeRuns>;
