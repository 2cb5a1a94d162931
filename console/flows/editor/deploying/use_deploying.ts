import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type DeployFlowResult, FlowError } from 'flow-deployments-client';
import { useRef, useState } from 'react';
import { useApi } from '../../../shared/api.tsx';
import { type FormerSettings, readFormerSettings } from '../../../shared/deploying/former_settings.ts';
import { refuseUnreadable } from '../actions.ts';
import { useEditor } from '../editor_context.tsx';
import { type FlowProblem, keyOf, messagesByNode, readProblems, type Severity } from '../problems/problem.ts';
import { useChecker } from '../problems/problems_context.tsx';
import type { Saving } from '../use_saving.ts';

interface DeployQuestions {
  /** The problems that would make a run fail. */
  problems: FlowProblem[];
  /** The settings of the former deployment; undefined if there is none. */
  former: FormerSettings | undefined;
}

export interface Deploying {
  /**
   * Saves the flow if it was changed, and deploys it. If runs of the flow would fail, or the former deployment has other
   * settings than the flow, first asks the user.
   */
  deploy: () => void;
  isPending: boolean;
  /** The new deployment. */
  deployed: DeployFlowResult | undefined;
  /** The problems that the last deploy found, which are also shown at the nodes. */
  findings: FlowProblem[];
  error: unknown;
  /** Closes the result of the last deploy. */
  dismiss: () => void;
  /** What the page asks before the deploy; undefined if it asks nothing. */
  asked: DeployQuestions | undefined;
  /** Deploys in spite of the problems in `asked`. Later deploys do not ask about the same problems again. */
  confirm: (keepsSettings: boolean) => void;
  /** Closes the question without a deploy. */
  cancel: () => void;
}

/** Deploys the open flow, and shows its faults at the nodes. */
export function useDeploying(saving: Saving): Deploying {
  const { flow, store } = useEditor();
  const api = useApi();
  const checker = useChecker();
  const queryClient = useQueryClient();
  const [findings, setFindings] = useState<FlowProblem[]>([]);
  const [asked, setAsked] = useState<DeployQuestions>();
  const accepted = useRef(new Set<string>());
  const show = (details: unknown, severity: Severity) => {
    // If the last check found the same problem, the editor shows the problem as the check reported it, with its
    // severity and input.
    const checked = new Map(checker.state().list.map((problem) => [keyOf(problem), problem]));
    const found = readProblems(details, store.state().document, flow.id, severity)
      .map((problem) => checked.get(keyOf(problem)) ?? problem);
    setFindings(found);
    store.showFaults(messagesByNode(found));
  };
  const { mutate, isPending, data, error, reset } = useMutation({
    mutationFn: async (answer: { keepsSettings: boolean } | undefined) => {
      if (!await saving.save()) return undefined;
      const { list } = await checker.current();
      const failing = list.filter(({ severity }) => severity === 'fails_run');
      const isAccepted = failing.every((problem) => accepted.current.has(keyOf(problem)));
      const former = await readFormerSettings(api, flow.id);
      const hasOther = former !== undefined && former.differing.length > 0;
      if (!isAccepted || hasOther && answer === undefined) {
        setAsked({ problems: isAccepted ? [] : failing, former });
        return undefined;
      }
      const deployed = await api.flows.deploy(flow.id, {
        settingsFrom: answer?.keepsSettings === false ? undefined : former?.from,
      });
      show(deployed.warnings, 'warning');
      await queryClient.invalidateQueries({ queryKey: ['deployments'] });
      return deployed;
    },
    onError: (failure) =>
      show(failure instanceof FlowError && failure.code === 'flow_invalid' ? failure.details : [], 'prevents_deploy'),
  });
  return {
    deploy: () => {
      if (refuseUnreadable(store)) return;
      show([], 'warning');
      mutate(undefined);
    },
    isPending,
    deployed: data,
    findings,
    error,
    dismiss: () => {
      show([], 'warning');
      reset();
    },
    asked,
    confirm: (keepsSettings) => {
      for (const problem of asked?.problems ?? []) accepted.current.add(keyOf(problem));
      setAsked(undefined);
      mutate({ keepsSettings });
    },
    cancel: () => setAsked(undefined),
  };
}
