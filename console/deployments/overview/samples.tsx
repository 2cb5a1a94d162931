import { Anchor, Code, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import type { DeploymentInput } from 'flow-deployments-client';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { useApi } from '../../shared/api.tsx';
import { CopyIcon } from '../../shared/copy_icon.tsx';
import { Section } from '../../shared/page/section.tsx';
import { CALLERS, clientSample, curlSample, exampleValues, type SampleCaller } from './sample_code.ts';

const LABELS: Record<SampleCaller, string> = { owner: 'You', user: 'A user', guest: 'A guest' };

const CREDENTIALS: Record<SampleCaller, ReactNode> = {
  owner: (
    <>
      API_KEY is a key of yours. Make one in{' '}
      <Anchor component={Link} href='/settings' inherit underline='always'>the settings</Anchor>, and keep it secret.
    </>
  ),
  user: 'Users sign in with Supabase Auth. ACCESS_TOKEN is the access token of their session.',
  guest: 'A guest needs no account. PUBLIC_KEY is the public key of a wallet, or of any key pair.',
};

/** A text of code with a button to copy it. */
const CodeBlock = ({ label, code }: { label: string; code: string }) => (
  <Group gap='xs' align='flex-start' wrap='nowrap'>
    <Code block flex='1 1 auto' miw={0} tabIndex={0} role='region' aria-label={label}>{code}</Code>
    <CopyIcon label={label} value={code} />
  </Group>
);

interface SamplesProps {
  deploymentId: string;
  permission: string;
  inputs: readonly DeploymentInput[];
}

/** Code that starts the deployment, for each kind of caller that may start it. */
export function Samples({ deploymentId, permission, inputs }: SamplesProps) {
  const { config: { url, key } } = useApi();
  const callers = CALLERS[permission] ?? ['owner'];
  const [chosen, setChosen] = useState<SampleCaller>('owner');
  const caller = callers.includes(chosen) ? chosen : 'owner';
  const sample = { url, key, deploymentId, values: exampleValues(inputs) };
  return (
    <Section title='From a program'>
      <Stack gap='sm'>
        {callers.length > 1 && (
          <Group>
            <SegmentedControl
              aria-label='Who starts it'
              data={callers.map((value) => ({ value, label: LABELS[value] }))}
              value={caller}
              // SAFETY: the values of the control are callers.
              onChange={(value) => setChosen(value as SampleCaller)}
            />
          </Group>
        )}
        <Text size='sm' c='dimmed'>{CREDENTIALS[caller]}</Text>
        <Text size='sm' fw={600}>With curl</Text>
        <CodeBlock label='Code for curl' code={curlSample(caller, sample)} />
        <Text size='sm' fw={600}>With the client, in JavaScript</Text>
        <CodeBlock label='Code for JavaScript' code={clientSample(caller, sample)} />
      </Stack>
    </Section>
  );
}
