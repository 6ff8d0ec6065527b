import { type LayoutJob, LayoutJobs } from './layout-jobs.ts'

/** Reads, draws, compares and sends layouts beside the page: 200,000 seats take seconds. */
const jobs = new LayoutJobs()

self.onmessage = async ({ data }: MessageEvent<{ id: number; job: LayoutJob }>) => {
  self.postMessage({ id: data.id, answer: await jobs.run(data.job) })
}
