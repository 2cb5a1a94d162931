import {
  ActionIcon,
  AppShell,
  Burger,
  Button,
  Group,
  NavLink,
  ScrollArea,
  Text,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useSession, useSessionStore } from '../session/session_context.tsx';
import { useInbox } from '../shared/inbox/use_inbox.ts';
import { Icon, type IconName } from '../shared/icon.tsx';
import { Logo } from '../shared/logo.tsx';

const LINKS: { label: string; href: string; icon: IconName }[] = [
  { label: 'Flows', href: '/flows', icon: 'flow' },
  { label: 'Deployments', href: '/deployments', icon: 'rocket' },
  { label: 'Runs', href: '/runs', icon: 'play' },
  { label: 'Inbox', href: '/inbox', icon: 'inbox' },
  { label: 'Nodes', href: '/nodes', icon: 'node' },
  { label: 'Wallets', href: '/wallets', icon: 'wallet' },
  { label: 'Connections', href: '/connections', icon: 'plug' },
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

/**
 * The paths of pages that fill the window. On a wide screen, these pages have no header, and the navigation beside them
 * shows only icons.
 */
const isFullPage = (path: string): boolean => /^\/flows\/[^/]+$/.test(path);

/**
 * Counts the requests in the inbox. For screen readers, the count is the description of the link and not a part of its
 * name.
 */
function useInboxCount(): number {
  const { data } = useInbox();
  return data === undefined ? 0 : data.inputs.length + data.signatures.length;
}

/** The links to the parts of the console. A compact link shows only its icon. */
function Links({ isCompact, onFollow }: { isCompact: boolean; onFollow: () => void }) {
  const [location] = useLocation();
  const waiting = useInboxCount();
  const isCurrent = (href: string) => location === href || location.startsWith(`${href}/`);
  return LINKS.map(({ label, href, icon }) => (
    <NavLink
      key={href}
      component={Link}
      href={href}
      className='console-link'
      label={isCompact ? undefined : label}
      aria-label={isCompact ? label : undefined}
      title={href === '/inbox' && waiting > 0 ? `${waiting} waiting` : isCompact ? label : undefined}
      leftSection={<Icon name={icon} />}
      // Undefined without a count, because an empty section would take room.
      rightSection={href === '/inbox' && waiting > 0 && !isCompact
        ? <span className='console-count' data-count={waiting} aria-hidden />
        : undefined}
      active={isCurrent(href)}
      aria-current={isCurrent(href) ? 'page' : undefined}
      onClick={onFollow}
    />
  ));
}

function SignOut({ isCompact }: { isCompact: boolean }) {
  const store = useSessionStore();
  const signOut = () => void store.signOut();
  if (!isCompact) return <Button variant='default' fullWidth onClick={signOut}>Sign out</Button>;
  return (
    <ActionIcon variant='default' size='lg' aria-label='Sign out' title='Sign out' onClick={signOut}>
      <Icon name='leave' />
    </ActionIcon>
  );
}

function Header({ isOpen, toggle }: { isOpen: boolean; toggle: () => void }) {
  const session = useSession();
  return (
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
  );
}

/** The frame of all pages for signed-in users: the navigation, and the page beside it. */
export function Shell({ children }: { children: ReactNode }) {
  const [isOpen, { toggle, close }] = useDisclosure();
  const [location] = useLocation();
  const isWide = useMediaQuery('(min-width: 48em)', true, { getInitialValueInEffect: false });
  const isFull = isFullPage(location);
  const isCompact = isFull && isWide;
  return (
    <AppShell
      padding={isFull ? 0 : 'lg'}
      header={{ height: 52, collapsed: isCompact }}
      navbar={{ width: isCompact ? 44 : 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
    >
      <a className='console-skip' href='#main'>Skip to the content</a>
      {!isCompact && (
        <AppShell.Header>
          <Header isOpen={isOpen} toggle={toggle} />
        </AppShell.Header>
      )}
      <AppShell.Navbar p={isCompact ? 4 : 'sm'} aria-label='Main' data-compact={isCompact || undefined}>
        <AppShell.Section grow component={ScrollArea} type={isCompact ? 'never' : 'hover'}>
          <Links isCompact={isCompact} onFollow={close} />
        </AppShell.Section>
        <AppShell.Section className='console-nav-end'>
          {isCompact && <ColorSchemeButton />}
          <SignOut isCompact={isCompact} />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id='main' tabIndex={-1} className='console-main'>{children}</AppShell.Main>
    </AppShell>
  );
}
