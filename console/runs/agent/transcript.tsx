import { Text } from '@mantine/core';
import { ErrorAlert } from '../../shared/errors/error_alert.tsx';
import { Loading } from '../../shared/page/loading.tsx';
import { Section } from '../../shared/page/section.tsx';
import { TurnView } from './turn_view.tsx';
import type { Turn } from './read_turns.ts';
import type { AgentRun } from './use_agent_run.ts';
import { describeTokens } from './usage_words.ts';

/** Describes the tokens of all answers together. */
function describeSum(turns: readonly Turn[]): string {
  const answered = turns.flatMap(({ usage }) => usage ?? []);
  const sum = { input: 0, output: 0 };
  for (const { input, output } of answered) {
    sum.input += input;
    sum.output += output;
  }
  return `${answered.length} ${answered.length === 1 ? 'answer' : 'answers'}, ${describeTokens(sum)}`;
}

/**
 * What an agent did: the texts of its model, and the calls of its tools with their approvals and results. All texts are
 * shown as plain text, because models and strangers have written them.
 */
export function Transcript({ agent, hasEnded }: { agent: AgentRun; hasEnded: boolean }) {
  const { turns, runsOfTools, error } = agent;
  return (
    <Section
      title='Transcript'
      aside={turns !== undefined && <Text size='sm' c='dimmed'>{describeSum(turns)}</Text>}
    >
      <ErrorAlert error={error} />
      {turns === undefined && error === null && <Loading label='Loading the transcript' />}
      {turns !== undefined && (
        <ol className='runs-transcript' aria-label='Transcript of the agent'>
          {turns.map((turn, index) => (
            <TurnView
              key={turn.step.times}
              turn={turn}
              isFirst={index === 0}
              runsOfTools={runsOfTools}
              hasEnded={hasEnded}
            />
          ))}
        </ol>
      )}
    </Section>
  );
}
