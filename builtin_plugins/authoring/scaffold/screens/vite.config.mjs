import { screens } from "@guildhall/console/vite";

export default screens({ entry: "index.tsx", outDir: "../src/guildhall_sample_plugin/console/dist" });
