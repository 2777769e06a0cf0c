import { useQueryClient } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useEffect } from "react";

import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { ProgressBar } from "@guildhall/console/ui/ProgressBar";
import { plainName } from "@guildhall/console/ui/sizes";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { dismissMove, movesUnderWay, useFolderMoves, type FolderMove } from "./folderMoves";
import styles from "./moves.module.css";

const MAX_NAMED = 5;

/** Folders that are being moved, and what of them stayed where it was. One that went well says so once, and is gone. */
export function MoveTray() {
  const t = useText();
  useMovesUnderWay();
  const moves = useFolderMoves().filter((move) => move.state !== "done" || move.left > 0);
  if (moves.length === 0) return null;
  return (
    <ul className={styles.tray} aria-label={t("files.folder_moves")}>
      {moves.map((move) => (
        <li key={move.id} className={styles.move}>
          <div className={styles.words}>
            <Words move={move} />
          </div>
          {move.state !== "moving" && (
            <Button kind="quiet" aria-label={t("action.close")} onPress={() => dismissMove(move.id)}>
              <X size={16} />
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** After the page was loaded anew, what goes on is shown again, and the lists are fetched when it is over. */
function useMovesUnderWay(): void {
  const t = useText();
  const client = useQueryClient();
  const announce = useAnnounce();
  const { user } = useIdentity();
  useEffect(() => {
    const end = ({ state, left, moved, from }: FolderMove) => {
      void client.invalidateQueries({ queryKey: ["files"] });
      if (state === "done" && left === 0) announce(t("files.folder_moved", { name: plainName(from.split("/").at(-2) ?? ""), count: moved }));
    };
    movesUnderWay(user.id).then((found) => found.forEach((one) => void one.then(end)), () => undefined);
  }, [client, announce, t, user.id]);
}

function Words({ move }: { move: FolderMove }) {
  const t = useText();
  const [from, to] = [plainName(move.from), plainName(move.to)];
  if (move.state === "moving") return <ProgressBar label={t("files.moving_folder", { from, to })} value={move.progress} />;
  if (move.state === "failed") {
    const { code = "internal", message = "" } = (move.problem ?? {}) as { code?: string; message?: string };
    return <ProblemNotice problem={new Problem({ title: t("files.move_failed", { from }), status: 0, detail: message, code })} />;
  }
  return (
    <div role="alert">
      {t("files.folder_left", { count: move.left, from })}
      <ul>
        {move.skipped.slice(0, MAX_NAMED).map(({ id, key, code }) => (
          <li key={id}>
            <bdi>{plainName(key)}</bdi>: {t(`files.left_${code}`)}
          </li>
        ))}
      </ul>
    </div>
  );
}
