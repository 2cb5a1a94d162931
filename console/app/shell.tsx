import {
  ActionIcon,
  AppShell,
  Burger,
  Button,
  Group,
  NavLink,
  ScrollArea,
  Stack,
  Text,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useSession, useSessionStore } from '../session/session_context.tsx';
import { Icon, type IconName } from '../shared/icon.tsx';
import { Logo } from '../shared/logo.tsx';

const LINKS: { label: string; href: string; icon: IconName }[] = [
  { label: 'Flows', href: '/flows', icon: 'flow' },
  { label: 'Deployments', href: '/deployments', icon: 'rocket' },
  { label: 'Runs', href: '/runs', icon: 'play' },
  { label: 'Nodes', href: '/nodes', icon: 'node' },
  { label: 'Wallets', href: '/wallets', icon: 'wallet' },
  { label: 'Schedules', href: '/schedules', icon: 'clock' },
  { label: 'Settings', href: '/settings', icon: 'gear' },
  { label: 'Documentation', href: '/docs', icon: 'book' },
];

const SCHEMES = { auto: 'light', light: 'dark', dark: 'auto' } as const;

function ColorSchemeButton() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const label = { auto: 'Colours: as the system', light: 'Colours: light', dark: 'Colours: dark' }[colorScheme];
  return (
    <ActionIcon
      variant='default'
      size='lg'
      aria-label={label}
      title={label}
      onClick={() => setColorScheme(SCHEMES[colorScheme])}
    >
      <Icon name={({ auto: 'contrast', light: 'sun', dark: 'moon' } as const)[colorScheme]} />
    </ActionIcon>
  );
}

/** The frame of all pages for signed-in users: the navigation, and the page beside it. */
export function Shell({ children }: { children: ReactNode }) {
  const [isOpen, { toggle, close }] = useDisclosure();
  const [location] = useLocation();
  const session = useSession();
  const store = useSessionStore();
  const isCurrent = (href: string) => location === href || location.startsWith(`${href}/`);
  return (
    <AppShell
      padding='lg'
      header={{ height: 52, collapsed: false }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
    >
      <a className='console-skip' href='#main'>Skip to the content</a>
      <AppShell.Header>
        <Group h='100%' px='md' justify='space-between' wrap='nowrap'>
          <Group gap='sm' wrap='nowrap'>
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom='sm'
              size='sm'
              aria-label='Navigation'
              aria-expanded={isOpen}
            />
            <Logo />
            <Text fw={600} visibleFrom='xs'>Flow console</Text>
          </Group>
          <Group gap='sm' wrap='nowrap' miw={0}>
            <Text size='sm' c='dimmed' truncate visibleFrom='xs'>
              {typeof session === 'object' ? session.email : ''}
            </Text>
            <ColorSchemeButton />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p='sm' aria-label='Main'>
        <AppShell.Section grow component={ScrollArea}>
          {LINKS.map(({ label, href, icon }) => (
            <NavLink
              key={href}
              component={Link}
              href={href}
              className='console-link'
              label={label}
              leftSection={<Icon name={icon} />}
              active={isCurrent(href)}
              aria-current={isCurrent(href) ? 'page' : undefined}
              onClick={close}
            />
          ))}
        </AppShell.Section>
        <AppShell.Section>
          <Stack>
            <Button variant='default' onClick={() => void store.signOut()}>Sign out</Button>
          </Stack>
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id='main' tabIndex={-1} className='console-main'>{children}</AppShell.Main>
    </AppShell>
  );
}
