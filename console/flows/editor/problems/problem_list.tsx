import { Anchor, Badge, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from 'wouter';
import { useEditorState } from '../editor_context.tsx';
import { labelOf } from '../node/fields/words.ts';
import { FlowSettings } from '../settings/flow_settings.tsx';
import { nodesById } from '../view.ts';
import { type FlowProblem, keyOf, type Severity } from './problem.ts';
import { useShowProblem } from './show_problem.ts';
import './problems.css';

const LABELS: Record<Severity, { text: string; color: string }> = {
  prevents_deploy: { text: 'error', color: 'red' },
  fails_run: { text: 'fails', color: 'orange' },
  warning: { text: 'warning', color: 'yellow' },
  note: { text: 'note', color: 'gray' },
};

const Content = ({ problem, title }: { problem: FlowProblem; title: string | undefined }) => (
  <span className='editor-problem'>
    <Badge size='sm' variant='light' tt='none' color={LABELS[problem.severity].color}>
      {LABELS[problem.severity].text}
    </Badge>
    <Text span size='sm' className='console-text'>
      {title !== undefined && (
        <strong>
          {title}
          {problem.field !== undefined && ` · ${problem.field.includes('.') ? problem.field : labelOf(problem.field)}`}:
        </strong>
      )} {problem.message}
    </Text>
  </span>
);

/** A list of problems. A click on a problem shows its node and the field, or opens the flow's settings. */
export function ProblemList({ problems, most = 20, onShow }: {
  problems: readonly FlowProblem[];
  /** The most problems that are listed. */
  most?: number;
  /** Called after a click has shown the node of a problem. */
  onShow?: () => void;
}) {
  const { document } = useEditorState();
  const show = useShowProblem();
  const nodes = nodesById(document);
  const [isSetting, settings] = useDisclosure();
  return (
    <ul className='console-plain-list'>
      {problems.slice(0, most).map((problem) => {
        const { nodeId, calledFlow } = problem;
        const title = nodeId === undefined ? undefined : nodes.get(nodeId)?.title;
        return (
          <li key={keyOf(problem)}>
            {title === undefined
              ? (
                <>
                  <Content problem={problem} title={undefined} />
                  {calledFlow !== undefined && (
                    <Anchor component={Link} href={`/flows/${calledFlow}`} size='sm' ml='xs'>Open that flow</Anchor>
                  )}
                  {calledFlow === undefined && problem.path.startsWith('environment.') && (
                    <Anchor component='button' type='button' size='sm' ml='xs' onClick={settings.open}>
                      Open the flow settings
                    </Anchor>
                  )}
                </>
              )
              : (
                <UnstyledButton
                  className='editor-problem-button'
                  title='Show the node'
                  onClick={() => {
                    show(problem);
                    onShow?.();
                  }}
                >
                  <Content problem={problem} title={title} />
                </UnstyledButton>
              )}
          </li>
        );
      })}
      {problems.length > most && <li>… and {problems.length - most} more</li>}
      {isSetting && <FlowSettings onClose={settings.close} />}
    </ul>
  );
}
