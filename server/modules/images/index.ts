import { type Kit, type Module, sweepOf } from '../module.ts'
import { ImageFiles } from './image-files.ts'
import { ImageMaker } from './image-maker.ts'
import { createImageMetrics } from './image-metrics.ts'
import { type OwnersOfImages, serveImages } from './routes/images.ts'
import { sweepUploads } from './tables/images.ts'

interface Images extends Module {
  readonly imageMaker: ImageMaker
  readonly imageFiles: ImageFiles
}

/** Pictures of events and brands. A thread checks each upload and makes it smaller, in several widths. */
export function openImages(kit: Kit, owners: OwnersOfImages): Images {
  const { database, clock, log } = kit
  const metrics = createImageMetrics(kit.metrics)
  const imageMaker = new ImageMaker({ log, onMade: metrics.made, clock })
  const imageFiles = new ImageFiles({ database, clock, onRead: metrics.read })
  return {
    name: 'images',
    imageMaker,
    imageFiles,
    routes: router => serveImages(router, kit, { imageMaker, files: imageFiles, owners }),
    sweeps: [sweepOf(database, 'uploads', sweepUploads)],
    close: () => imageMaker.close(),
  }
}
