import { systemClock } from '@voelgoed/kit/base/clock'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { type Demo, type DemoDeps, seedDemo } from './seed.ts'

/** The demo says what it does in words; its requests need not be in the log as well. */
export async function seedQuietly(
  config: Config,
  log: Logger,
  deps: Omit<DemoDeps, 'clock'>,
): Promise<Demo | null> {
  log.level = config.logLevel === 'info' ? 'warn' : config.logLevel
  const demo = await seedDemo(config, { ...deps, clock: systemClock })
  log.level = config.logLevel
  return demo
}
