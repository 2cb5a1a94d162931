import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type DeployFlowResult, FlowError } from 'flow-deployments-client';
import { useState } from 'react';
import { useApi } from '../../shared/api.tsx';
import { useEditor } from './editor_context.tsx';
import { faultsOf, type Finding, readFindings } from './findings.ts';
import type { Saving } from './use_saving.ts';

export interface Deploying {
  /** Saves the flow if it was changed, and deploys it. */
  deploy: () => void;
  isPending: boolean;
  /** The new deployment. */
  deployed: DeployFlowResult | undefined;
  /** The findings of the last deploy, which the nodes show, too. */
  findings: Finding[];
  error: unknown;
  /** Closes the result of the last deploy. */
  dismiss: () => void;
}

/** Deploys the open flow, and shows its faults at the nodes. */
export function useDeploying(saving: Saving): Deploying {
  const { flow, store } = useEditor();
  const { flows } = useApi();
  const queryClient = useQueryClient();
  const [findings, setFindings] = useState<Finding[]>([]);
  const show = (details: unknown) => {
    const found = readFindings(details, store.state().document, flow.id);
    setFindings(found);
    store.showFaults(faultsOf(found));
  };
  const { mutate, isPending, data, error, reset } = useMutation({
    mutationFn: async () => {
      if (!await saving.save()) return undefined;
      const deployed = await flows.deploy(flow.id);
      show(deployed.warnings);
      await queryClient.invalidateQueries({ queryKey: ['deployments'] });
      return deployed;
    },
    onError: (failure) => show(failure instanceof FlowError && failure.code === 'flow_invalid' ? failure.details : []),
  });
  return {
    deploy: () => {
      show([]);
      mutate();
    },
    isPending,
    deployed: data,
    findings,
    error,
    dismiss: () => {
      show([]);
      reset();
    },
  };
}
