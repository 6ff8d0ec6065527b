import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { StartupError } from '../../base/startup-error.ts'
import { openDataDirectory } from './data-directory.ts'
import { clusterOf, dataDirIn, scratchDirectory } from './embedded.fixture.ts'

describe('a data directory', () => {
  it('is created with its parents, and known by its real path', async () => {
    const scratch = await scratchDirectory()
    await symlink(scratch, path.join(scratch, 'link'))
    const dir = await openDataDirectory(path.join(scratch, 'link', 'a', 'b'), '18')
    expect(dir).toMatchObject({ path: path.join(scratch, 'a', 'b'), hasCluster: false })
  })

  it('of another major version is refused with both versions', async () => {
    const dataDir = dataDirIn(await scratchDirectory())
    await mkdir(clusterOf(dataDir), { recursive: true })
    await writeFile(path.join(clusterOf(dataDir), 'PG_VERSION'), '17\n')
    await expectRefusal(dataDir, `were made by Postgres 17, and the embedded one is Postgres 18`)
  })

  it('that is the directory of another Postgres is refused, whatever its version', async () => {
    const dataDir = dataDirIn(await scratchDirectory())
    await mkdir(dataDir)
    await writeFile(path.join(dataDir, 'PG_VERSION'), '16\n')
    await expectRefusal(dataDir, 'were made by Postgres 16, and the embedded one is Postgres 18')
    await writeFile(path.join(dataDir, 'PG_VERSION'), '18\n')
    await expectRefusal(dataDir, 'is the data directory of another Postgres 18')
  })

  it('that holds something else is refused and left as it is', async () => {
    const dataDir = dataDirIn(await scratchDirectory())
    await mkdir(path.join(dataDir, 'postgres'), { recursive: true })
    await writeFile(path.join(dataDir, 'thesis.txt'), '')
    await expectRefusal(dataDir, 'is not empty and holds no database of ours (it has thesis.txt)')
    expect(await readdir(dataDir)).toEqual(['postgres', 'thesis.txt'])
  })

  it('whose cluster is something else is refused', async () => {
    const dataDir = dataDirIn(await scratchDirectory())
    await mkdir(path.join(clusterOf(dataDir), 'base'), { recursive: true })
    await expectRefusal(dataDir, 'is not empty and holds no database of ours (it has cluster)')
  })

  it('that is a file, or below one, is refused', async () => {
    const dataDir = dataDirIn(await scratchDirectory())
    await writeFile(dataDir, '')
    await expectRefusal(dataDir, `Can't use the data directory ${dataDir} (EEXIST: file already exists)`)
    await expectRefusal(path.join(dataDir, 'x'), '(ENOTDIR: not a directory')
  })

  it('may be an empty mount point', async () => {
    const dataDir = dataDirIn(await scratchDirectory())
    await mkdir(path.join(dataDir, 'lost+found'), { recursive: true })
    expect(await openDataDirectory(dataDir, '18')).toMatchObject({ hasCluster: false })
  })
})

async function expectRefusal(dataDir: string, words: string): Promise<void> {
  const error = await openDataDirectory(dataDir, '18').catch(thrown => thrown)
  expect(error).toBeInstanceOf(StartupError)
  expect(error.message).toContain(words)
  expect(error.message).toContain('VOELGOED_DATA_DIR')
  expect(error.message).not.toContain('\n')
}
