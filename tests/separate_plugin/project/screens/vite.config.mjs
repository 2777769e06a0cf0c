import { screens } from "@guildhall/console/vite";

export default screens({ entry: "index.tsx", outDir: "../src/guildhall_loans/console/dist" });
