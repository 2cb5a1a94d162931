import { Anchor, Breadcrumbs, Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { useDocumentTitle } from './use_document_title.ts';

export interface PageProps {
  /** The heading, and the name of the browser's tab. */
  title: string;
  /** Pages above this one, by their paths. */
  parents?: { title: string; href: string }[];
  /** A sentence under the heading. */
  description?: ReactNode;
  /** Buttons beside the heading. */
  actions?: ReactNode;
  children: ReactNode;
}

/** True if a page was shown since the console was loaded: the browser sets the focus of the first one. */
let hasShownPage = false;

/** A page: its heading, which gets the focus after a link to it, its actions and its content. */
export function Page({ title, parents = [], description, actions, children }: PageProps) {
  useDocumentTitle(title);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (hasShownPage) heading.current?.focus();
    hasShownPage = true;
  }, []);
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
        <Group justify='space-between' align='flex-end'>
          <Title order={1} size='h2' ref={heading} tabIndex={-1} className='console-heading'>{title}</Title>
          {actions !== undefined && <Group gap='xs'>{actions}</Group>}
        </Group>
        {description !== undefined && <Text c='dimmed' size='sm'>{description}</Text>}
      </Stack>
      {children}
    </Stack>
  );
}
