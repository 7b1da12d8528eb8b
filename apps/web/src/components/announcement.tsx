/** The announcement of the site. Opens automatically when it is new, and on request. */
import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { writeStorage, readStorage } from "#lib/browser-storage.ts";
import { noticeQuery } from "#lib/queries/notice.ts";

const AnnouncementDialog = lazy(() =>
  import("./announcement-dialog.tsx").then((module) => ({ default: module.AnnouncementDialog })),
);
const storageKey = "notice";

type Announcement = {
  /** This browser has not shown it yet. */
  unseen: boolean;
  open: () => void;
  dialog: ReactNode;
};

export function useAnnouncement(): Announcement {
  const [seen, setSeen] = useState(() => readStorage(storageKey));
  const [isRequested, setWanted] = useState(false);
  const notice = useQuery(noticeQuery).data;
  const unseen = Boolean(notice) && notice !== seen;

  useEffect(() => {
    if (notice) writeStorage(storageKey, notice);
  }, [notice]);

  const close = () => {
    setWanted(false);
    if (notice) setSeen(notice);
  };
  return {
    unseen,
    open: () => setWanted(true),
    dialog:
      isRequested || unseen ? (
        <Suspense fallback={null}>
          <AnnouncementDialog notice={notice ?? seen ?? ""} onClose={close} />
        </Suspense>
      ) : null,
  };
}
