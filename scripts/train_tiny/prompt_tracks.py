"""The official prompt as integer tracks, built on the device for a whole batch of (text, speaker, mode, frames).

position   role (3)   prefix (5, or 4 for language auto)                 pad       whole text: text, eos | bos      frames
text       role ids   tts_pad ...                                        tts_bos   text ids, tts_eos | tts_pad      tts_pad
codec      -          think think_bos LANG think_eos SPEAKER             pad       pad ...           | bos          codes
                      (auto: nothink think_bos think_eos SPEAKER)
Streamed text: bos stands on the first text id, every later id (then tts_eos, then tts_pad) on one frame.
SPEAKER is a preset's id or a speaker vector (VECTOR). An in-context prompt is the same with the reference's text in
front of the text and its frames in front of the frames; nothing is due before the last of them.
"""

import torch

PREFIX = {"english": ("think", "think_bos", "english", "think_eos"), "auto": ("nothink", "think_bos", "think_eos")}
LONGEST_PREFIX = 5
VECTOR = -1  # as the number of a speaker: the vector of the speaker encoder stands in its place


class TrackBuilder:
    def __init__(self, sizes, text_ids, speakers, device):
        control = sizes.control_ids() | sizes.language_ids()
        self.control, self.text_ids, self.device = control, text_ids, device
        self.role = torch.tensor([text_ids["im_start"], text_ids["assistant"], text_ids["newline"]], device=device)
        rows = []
        for speaker_id in [*sizes.speaker_ids(speakers).values(), control["pad"]]:  # the last for VECTOR
            for language in ("english", "auto"):
                row = [control[name] for name in PREFIX[language]] + [speaker_id]
                rows.append(row + [control["pad"]] * (LONGEST_PREFIX - len(row)))
        self.prefixes = torch.tensor(rows, device=device)

    @staticmethod
    def overhead(auto):
        """Positions before the text: role, prefix, pad."""
        return 3 + LONGEST_PREFIX - auto + 1

    def build(
        self,
        text,
        text_length,
        codes,
        frames,
        speaker,
        auto,
        streamed,
        length,
        spoken=None,
        given_text=None,
        given_frames=None,
    ):
        """text [B, L] and codes [B, F, books] padded; the other arguments [B] -> dict of tracks [B, length] and labels.

        `label` is the first code (or eos) due at a position, -100 elsewhere; `next` the whole frame due where `due`;
        `own` marks the frames that the model itself has spoken.
        given_text, given_frames: how many of the text ids and frames are the reference's (in-context), none by default.
        spoken [B, F]: the share of the item that is spoken at a frame, from the first due one on; adds which text id
        that is, and where the ids are.
        """
        given_text = torch.zeros_like(text_length) if given_text is None else given_text
        given_frames = torch.zeros_like(frames) if given_frames is None else given_frames
        B = text.shape[0]
        position = torch.arange(length, device=self.device)[None].expand(B, length)

        def column(x):
            return x[:, None]

        start = 3 + LONGEST_PREFIX - column(auto.long()) + 1  # of the text
        begin = torch.where(column(streamed), start, start + column(text_length) + 1)  # the position of bos
        first, end = begin + 1, begin + 1 + column(frames)
        ids = self.text_ids
        at = position - start
        words = text.gather(1, at.clamp(0, text.shape[1] - 1))
        track = torch.full((B, length), ids["tts_pad"], device=self.device)
        track = torch.where(position < 3, self.role[position.clamp(max=2)], track)
        track = torch.where(at == -1, ids["tts_bos"], track)
        track = torch.where((at >= 0) & (at < column(text_length)), words, track)
        track = torch.where(at == column(text_length), ids["tts_eos"], track)
        prefix = self.prefixes[speaker * 2 + auto.long()].gather(1, (position - 3).clamp(0, LONGEST_PREFIX - 1))
        is_frame = (position >= first) & (position < end)
        history = self._frames(codes, position - first) * is_frame[..., None]
        codec = torch.full((B, length), self.control["pad"], device=self.device)
        codec = torch.where((position >= 3) & (at < -1), prefix, codec)
        codec = torch.where(position == begin, self.control["bos"], codec)
        codec = torch.where(is_frame, history[..., 0], codec)
        first_due = begin + column(given_frames)
        due = (position >= first_due) & (position < end - 1)
        coming = self._frames(codes, position - begin)
        label = torch.where(due, coming[..., 0], -100)
        label = torch.where(position == end - 1, self.control["eos"], label)
        inside = position < end
        is_vector = (position == start - 2) & column(speaker == VECTOR)
        reading = {}
        if spoken is not None:
            own_length = text_length - given_text
            index = torch.where(column(streamed), position - begin, at) - column(given_text)
            share = spoken.gather(1, (position - first_due).clamp(0, spoken.shape[1] - 1))
            reading = {
                "text_index": index.float(),
                "is_text": ((index >= 0) & (index < column(own_length))).float(),
                "spoken_index": share * column(own_length - 1),
                "text_length": own_length.float(),
            }
        return reading | {
            "text": track,
            "text_on": inside.float(),
            "codec": codec,
            "codec_on": ((position >= 3) & inside & ~is_vector).float(),
            "vector_on": is_vector.float(),
            "codes": history,
            "codes_on": is_frame.float(),
            "own": (position > first_due) & (position < end),
            "label": label,
            "due": due,
            "next": coming,
        }

    @staticmethod
    def _frames(codes, index):
        index = index.clamp(0, codes.shape[1] - 1)
        return codes.gather(1, index[..., None].expand(-1, -1, codes.shape[2]))
