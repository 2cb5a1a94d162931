import { Anchor, Breadcrumbs, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { usePageHeading } from './use_page_heading.ts';

interface PageProps {
  /** The heading, and the name of the browser's tab. */
  title: string;
  /** The pages above this page, for the links before the heading. */
  parents?: { title: string; href: string }[];
  /** A sentence under the heading. */
  description?: ReactNode;
  /** Buttons beside the heading. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A page with its heading, actions and content. When a link leads to the page, the heading gets the focus. */
export function Page({ title, parents = [], description, actions, children }: PageProps) {
  const heading = usePageHeading(title);
  return (
    <Stack gap='lg'>
      <Stack gap={4}>
        {parents.length > 0 && (
          <nav aria-label='Breadcrumbs'>
            <Breadcrumbs>
              {parents.map((parent) => (
                <Anchor key={parent.href} component={Link} href={parent.href} size='sm'>{parent.title}</Anchor>
              ))}
            </Breadcrumbs>
          </nav>
        )}
        <Group justify='space-between' align='flex-end' gap='xs' mb={actions === undefined ? 0 : 4}>
          <Title order={1} size='h2' ref={heading} tabIndex={-1} className='console-heading'>{title}</Title>
          {actions !== undefined && <Group gap='xs'>{actions}</Group>}
        </Group>
        {description !== undefined && <Text c='dimmed' size='sm'>{description}</Text>}
      </Stack>
      {children}
    </Stack>
  );
}
