import { Stack, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useSearchParams } from 'wouter';
import { useApi } from '../shared/api.tsx';
import { Loading } from '../shared/page/loading.tsx';
import { usesSolanaQuery } from './deployment.ts';
import type { DeploymentTabProps } from './tab_props.ts';

/** The tabs. The keys are the names that the address contains. */
const TABS = {
  overview: { label: 'Overview', Content: lazy(() => import('./overview/overview.tsx')) },
  triggers: { label: 'Triggers', Content: lazy(() => import('./triggers/triggers.tsx')) },
  access: { label: 'Access and limits', Content: lazy(() => import('./settings/access.tsx')) },
  solana: { label: 'Solana', Content: lazy(() => import('./settings/solana.tsx')) },
  messages: { label: 'Messages', Content: lazy(() => import('./messages/messages.tsx')) },
  versions: { label: 'Versions', Content: lazy(() => import('./versions/versions.tsx')) },
};

type TabName = keyof typeof TABS;

const isTab = (name: string | null): name is TabName => name !== null && Object.hasOwn(TABS, name);

/** The tabs of a deployment. The address contains the open tab, so that Back and copied links restore it. */
export function DeploymentTabs(props: DeploymentTabProps) {
  const { deployment } = props;
  const [parameters, setParameters] = useSearchParams();
  const { data: usesSolana = false } = useQuery(usesSolanaQuery(useApi(), deployment));
  const named = parameters.get('tab');
  const open = isTab(named) ? named : 'overview';
  const isSolanaShown = usesSolana || open === 'solana';
  const shown = (Object.keys(TABS) as TabName[]).filter((name) => name !== 'solana' || isSolanaShown);
  // Removes all other parameters, such as the page of a list, because they belong to the former tab.
  const show = (name: string | null) => setParameters(name === 'overview' || name === null ? {} : { tab: name });
  return (
    <Tabs value={open} onChange={show} keepMounted={false}>
      <Tabs.List aria-label='Parts of the deployment'>
        {shown.map((name) => <Tabs.Tab key={name} value={name}>{TABS[name].label}</Tabs.Tab>)}
      </Tabs.List>
      {shown.map((name) => {
        const { Content } = TABS[name];
        return (
          <Tabs.Panel key={name} value={name} pt='lg'>
            <Stack gap='xl'>
              <Suspense fallback={<Loading />}>
                <Content {...props} />
              </Suspense>
            </Stack>
          </Tabs.Panel>
        );
      })}
    </Tabs>
  );
}
