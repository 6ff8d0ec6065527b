import { findProgram, type Program, type ProgramSource } from '../program.ts'

export type RedisProgram = Program

export const NO_REDIS =
  'There is no Redis here: set VOELGOED_REDIS_SERVER to the path of a redis-server (7.0 or later), or install it. ' +
  'On Debian and Ubuntu its packages are fetched without being installed, if apt-get can download.'

const REDIS: ProgramSource = {
  name: 'redis-server',
  variable: 'VOELGOED_REDIS_SERVER',
  packages: ['redis-server', 'redis-tools', 'libjemalloc2', 'liblzf1'],
  folder: 'bin',
}

export function findRedis(options: { mayFetch: boolean }): Promise<RedisProgram | null> {
  return findProgram(REDIS, options)
}
