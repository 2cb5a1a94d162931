import { projectFunctionsDir } from '../../../dev/stack/functions.ts';
import { HOSTED_AUTH_RATES } from '../../../dev/stack/gateway/auth_rates.ts';
import type { Stack } from '../../../dev/stack/stack.ts';
import { makeOwnStack } from '../../support/own_stack.ts';
import { makeFindings } from '../findings.ts';
import type { SoakOptions } from '../options.ts';
import { startAttacker } from './attacker_child.ts';
import { type HostileReport, judgeHostility, makeHostileReport } from './hostile_report.ts';
import { readCpuSeconds, spentCpu } from './process_cpu.ts';
import { watchMemory } from './process_memory.ts';
import { makeVictim } from './victim.ts';

/** The duration of the calm before the attack. The measurements under attack are compared with those in calm. */
const CALM_MS = 20_000;

/** The time for which the victim starts runs before the measurement. */
const WARM_UP_MS = 3_000;

async function attackStack(stack: Stack, options: SoakOptions, signal: AbortSignal): Promise<HostileReport> {
  const { seed, minutes, pressure, only } = options;
  const attacker = startAttacker();
  const memory = watchMemory(stack);
  const stopEarly = () => attacker.stop();
  try {
    const victim = await makeVictim(stack.status);
    await attacker.prepare({ status: stack.status, pressure, only });
    await victim.live(WARM_UP_MS, signal);
    memory.takePeaks();
    /**
     * Lets the victim work for some time. Returns the victim's experience, and the CPUs that each process used
     * meanwhile.
     */
    const live = async (ms: number) => {
      const [before, began] = [readCpuSeconds(stack, attacker.pid), performance.now()];
      const experience = await victim.live(ms, signal);
      const seconds = (performance.now() - began) / 1_000;
      return { experience, seconds, cpu: spentCpu(before, readCpuSeconds(stack, attacker.pid), seconds) };
    };
    const calm = await live(CALM_MS);
    const calmMemory = memory.takePeaks();
    signal.addEventListener('abort', stopEarly);
    const striking = attacker.strike();
    const attacked = await live(minutes * 60_000);
    attacker.stop();
    const tallies = await striking;
    const findings = makeFindings();
    const given = {
      seed,
      minutes,
      pressure,
      seconds: attacked.seconds,
      calm: calm.experience,
      attacked: attacked.experience,
      cpu: { calm: calm.cpu, attacked: attacked.cpu },
      memory: { calm: calmMemory, attacked: memory.takePeaks() },
      tallies,
    };
    judgeHostility(given, findings);
    return makeHostileReport(given, findings);
  } finally {
    signal.removeEventListener('abort', stopEarly);
    memory.stop();
    attacker.kill();
  }
}

/** Boots a stack, lets one user attack it in every known way at once, and reports the effect on another user. */
export async function soakHostile(options: SoakOptions, signal: AbortSignal): Promise<HostileReport> {
  const own = await makeOwnStack('hostile', null);
  try {
    const stack = await own.boot({
      functionsDir: projectFunctionsDir,
      watch: false,
      authRates: HOSTED_AUTH_RATES,
      postgresSettings: { fsync: 'off' },
      onCrash: (description) => console.error(`A part of the stack ended by itself: ${description}`),
    });
    return await attackStack(stack, options, signal);
  } finally {
    await own.remove();
  }
}
