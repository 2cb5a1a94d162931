import { NavLink, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { docsHref } from '../shared/docs_href.ts';
import { PARTS } from './pages.ts';

/** The list of all pages, grouped by the parts of the documentation. */
export const DocsList = ({ current }: { current: string }) => (
  <Stack component='nav' aria-label='Documentation' gap='md'>
    {PARTS.map(({ title, pages }) => (
      <div key={title}>
        <Text fw={600} size='sm' px='sm' mb={4}>{title}</Text>
        {pages.map((page) => (
          <NavLink
            key={page.path}
            component={Link}
            href={docsHref(page.path)}
            className='console-link'
            py={4}
            label={page.title}
            active={page.path === current}
            aria-current={page.path === current ? 'page' : undefined}
          />
        ))}
      </div>
    ))}
  </Stack>
);
