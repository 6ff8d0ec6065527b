import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { formatTable } from '../format.ts'
import { ROOT } from '../nemesis/lab-process.ts'

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

const SHOWN = 15
const IDLE = new Set(['(idle)', '(program)', '(root)'])

/** Where the time of each profiled process went, on its main thread: most first, idling left out. */
export async function summarizeProfiles(folder: string): Promise<string> {
  const files = (await readdir(folder)).filter(isOfMainThread)
  const tables: string[] = []
  for (const file of files) {
    const profile = JSON.parse(await readFile(join(folder, file), 'utf8')) as CpuProfile
    tables.push(`${file}\n${summarize(profile)}`)
  }
  return tables.join('\n\n')
}

/** CPU.<date>.<time>.<process>.<thread>.<number>.cpuprofile */
function isOfMainThread(file: string): boolean {
  return file.endsWith('.cpuprofile') && file.split('.')[4] === '0'
}

function summarize({ nodes, samples, timeDeltas }: CpuProfile): string {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const spent = new Map<string, number>()
  let busy = 0
  for (const [index, id] of samples.entries()) {
    const { functionName, url, lineNumber } = frames.get(id)!
    if (IDLE.has(functionName)) continue
    const us = timeDeltas[index] ?? 0
    busy += us
    const path = url.startsWith('file:') ? relative(ROOT, fileURLToPath(url)) : url
    const name = `${functionName || 'anonymous'}${path === '' ? '' : ` ${path}:${lineNumber + 1}`}`
    spent.set(name, (spent.get(name) ?? 0) + us)
  }
  const most = [...spent].sort(([, a], [, b]) => b - a).slice(0, SHOWN)
  const share = (us: number) => `${((100 * us) / Math.max(1, busy)).toFixed(1)} %`
  return formatTable(
    [`busy for ${(busy / 1e6).toFixed(1)} s`, 'its own'],
    most.map(([name, us]) => [name, share(us)]),
  )
}
